// Banks, associations and what else has limits, as they are stored (schema/records.fbs).

#pragma once

#include <string>
#include <string_view>

#include "priority/account.h"

namespace fq::records {

[[nodiscard]] std::string encode(const priority::Bank& bank);
[[nodiscard]] std::string encode(const priority::Association& association);

/// `key` is that of the record. Both throw Error{unavailable} for damaged bytes.
[[nodiscard]] priority::Bank decode_bank(std::string_view key, std::string_view bytes);
[[nodiscard]] priority::Association decode_association(std::string_view key, std::string_view bytes);

/// What else has limits: qualities of service, and associations in them or in queues.
[[nodiscard]] std::string encode(const priority::Use& use);
[[nodiscard]] priority::Use decode_use(std::string_view bytes);

}  // namespace fq::records
