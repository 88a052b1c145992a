// Accounts as `fq account` shows them: a row a bank or a user in a bank, alone or as a tree.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/frame/common_options.h"
#include "request/accounts.h"

namespace fq::cli {

/// Which rows a listing has; each has its own named formats.
enum class AccountRows : std::uint8_t { banks, users, tree };

/// What of a tree is shown.
struct TreeOf {
  bool users = true;
  std::string without;  ///< a bank that is left out, with all in it
};

/// The listing in the format asked for, or as JSON: an object with `banks`, or `users`.
[[nodiscard]] std::string list_accounts(const std::vector<const request::AccountNode*>& nodes,
                                        AccountRows rows, const ListingOptions& options);
/// The bank with all that is in it, closed ones left out unless they have used something: indented by depth,
/// or as nested JSON objects.
[[nodiscard]] std::string list_account_tree(const request::AccountNode& bank, const ListingOptions& options,
                                            TreeOf of = {});
/// FormatNames::told of its formats.
[[nodiscard]] std::optional<std::string> account_formats_told(AccountRows rows,
                                                              const ListingOptions& options);
/// Throws Error{usage} for a format, a field or a sort key that there is not.
void check_account_listing(AccountRows rows, const ListingOptions& options);

}  // namespace fq::cli
