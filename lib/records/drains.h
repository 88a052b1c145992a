// Nodes that an administrator has taken out of use: they get no new jobs. Truth; each change is also an event
// in instance.eventlog.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "document/resource/drain.h"
#include "notation/idset.h"
#include "store/transaction.h"

namespace fq::records {

/// One record. Throws Error{invalid}.
[[nodiscard]] document::Drain decode_drain(std::string_view text);
[[nodiscard]] document::Drains read_drains(const store::Reader& reader);
/// The ranks alone. Costs what is drained.
[[nodiscard]] notation::Idset drained_ranks(const store::Reader& reader);
void write_drain(store::Transaction& transaction, std::uint32_t rank, const document::Drain& drain);
void erase_drain(store::Transaction& transaction, std::uint32_t rank);

}  // namespace fq::records
