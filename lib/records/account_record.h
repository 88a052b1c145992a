// Banks and associations as they are stored (schema/records.fbs).

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

}  // namespace fq::records
