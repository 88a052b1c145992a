// Running jobs that are charged, each with whom and for what: what is to be let go of when it ends, whatever
// becomes of the job's bank until then. Truth.
//
//   charge    uid SP amount SP amount SP amount SP amount SP end SP bank
//
// All decimal; the amounts are those of priority::Resource.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "notation/fluid.h"
#include "priority/use.h"
#include "store/transaction.h"

namespace fq::records {

struct Charge : priority::Holding {
  std::uint32_t userid = 0;
  std::string bank;  ///< empty: none, there are limits without accounts

  friend bool operator==(const Charge&, const Charge&) = default;
};

/// Throws Error{unavailable} for a damaged one.
[[nodiscard]] std::optional<Charge> find_charge(const store::Reader& reader, notation::JobId id);
void write_charge(store::Transaction& transaction, notation::JobId id, const Charge& charge);
void erase_charge(store::Transaction& transaction, notation::JobId id);

}  // namespace fq::records
