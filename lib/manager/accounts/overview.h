// Accounts as readers see them: the tree of banks and users with what each has used, is entitled to, and gets
// for it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/engine/session.h"
#include "priority/account.h"
#include "priority/accounting.h"
#include "store/reader.h"

namespace fq::manager {

/// A bank with all that is in it, or a user in a bank.
struct AccountNode {
  bool is_user = false;
  std::string name, parent;
  priority::Account account;             ///< as it is stored
  priority::Association association;     ///< of a user
  priority::Amounts decayed{}, total{};  ///< of each resource now, running jobs included
  double month_core_seconds = 0;         ///< used since the month began
  double usage = 0;                      ///< the one number of it: by weight, decayed
  double allotted = 0;                   ///< the part of everything that its shares give it
  double effective_usage = 0;            ///< the part of all usage that is its
  std::optional<double> fair_share;      ///< none of banks under fair-tree, and of closed ones
  std::optional<std::size_t> rank;       ///< under fair-tree
  std::uint64_t active_jobs = 0;         ///< of a bank: of all in it
  std::vector<AccountNode> children;     ///< banks by name, then users by name
};

struct AccountTree {
  bool exists = false;  ///< false: there are no accounts
  priority::Accounting accounting;
  AccountNode root;
};
/// As it is now.
[[nodiscard]] AccountTree account_tree(const store::Reader& reader, const Session& session);
[[nodiscard]] AccountTree account_tree(const Session& session);

/// The projects, by name. Without any, jobs may name what they like.
[[nodiscard]] std::vector<std::string> projects(const Session& session);

/// The bank of that name in the tree. Throws Error{not_found} with a near match.
[[nodiscard]] const AccountNode& require_bank_node(const AccountTree& tree, std::string_view name);
/// A user's associations, by bank. Throws as that.
[[nodiscard]] std::vector<const AccountNode*> require_user_nodes(const AccountTree& tree,
                                                                 std::string_view user);
/// All banks, or all users, closed ones left out unless they are asked for: by their place in the tree.
[[nodiscard]] std::vector<const AccountNode*> bank_nodes(const AccountTree& tree, bool closed);
[[nodiscard]] std::vector<const AccountNode*> user_nodes(const AccountTree& tree, bool closed);

}  // namespace fq::manager
