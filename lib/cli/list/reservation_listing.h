// What is reserved beforehand, as `fq resource reservations` shows it.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/frame/common_options.h"
#include "request/reservation.h"

namespace fq::cli {

[[nodiscard]] std::string list_reservations(std::vector<request::Reserved> all, double now,
                                            const ListingOptions& options);
/// FormatNames::told of its formats.
[[nodiscard]] std::optional<std::string> reservation_formats_told(const ListingOptions& options);
/// Throws Error{usage} for a format, a field or a sort key that there is not.
void check_reservation_listing(const ListingOptions& options);

}  // namespace fq::cli
