// Accounts: changes of banks, of users in them and of projects, what is charged by hand, and the tree of all
// with what each has used, is entitled to, and gets for it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "priority/account.h"
#include "priority/accounting.h"
#include "request/refusal.h"

namespace fq::request {

/// Limits that are set, the others stay.
using LimitEdits = std::vector<std::pair<std::int64_t priority::AccountLimits::*, std::int64_t>>;

/// A bank as it is wanted. What is not given stays, or is as by default: below the root, one share, no limit.
struct BankEdit {
  std::string name;
  std::optional<std::string> parent;
  std::optional<double> shares;
  bool closed = false;  ///< of a table: it was deleted, and stays on record
  LimitEdits limits;
};

/// The same of a user in a bank.
struct UserEdit {
  std::string user, bank;
  std::optional<std::uint32_t> userid;  ///< nothing for a new user: the system does not know that user
  std::optional<double> shares;
  std::optional<std::vector<std::string>> queues, qos, projects;
  std::optional<std::string> default_project;  ///< empty: none
  bool make_default = false;
  std::optional<std::string> default_bank;  ///< another bank that the user is in
  LimitEdits limits;
  std::optional<double> core_seconds;        ///< usage, decayed until now
  std::optional<priority::Amounts> decayed;  ///< the same of each resource
  bool closed = false;                       ///< of a table, as of a bank
};

/// What was used beside what jobs are charged for; negative: credited, as far as there is usage.
struct ManualCharge {
  std::string user, bank;
  priority::Amounts amounts{};
  double at = 0;  ///< when, seconds since the epoch
};

/// Deleting what still has jobs, or banks and users in it: refused, or closed with all that is in it.
enum class InUse : std::uint8_t { refuse, close };

struct AddBank {
  BankEdit bank;
};
struct EditBank {
  BankEdit bank;
};
struct DeleteBank {
  std::string name;
  InUse in_use = InUse::refuse;
};
struct AddUser {
  UserEdit user;
};
struct EditUser {
  UserEdit user;
};
struct DeleteUser {
  std::string user, bank;  ///< from all banks, where no bank is named
  InUse in_use = InUse::refuse;
};
struct AddProject {
  std::string name, description;
};
struct EditProject {
  std::string name, description;
};
struct DeleteProject {
  std::string name;
  InUse in_use = InUse::refuse;  ///< that users in banks have it among their projects
};
struct Charge {
  ManualCharge charge;
  std::string reason;  ///< for the event; empty: none
};
struct ClearUsage {
  std::vector<std::string> banks;
};

struct EditAccountsReply {
  bool known = true;  ///< of a user that was added: the system knows it
  /// What is allowed and is not there yet, a sentence each: `there is no queue 'bacth' (did you mean …`.
  std::vector<std::string> unknown;
};

/// Refused with Error{permission} unless the caller is the owner, Error{invalid} for a name or number that
/// cannot be, Error{not_found} for what there is not, Error{refused} for what there is already.
struct EditAccountsRequest {
  using Reply = EditAccountsReply;
  std::variant<AddBank, EditBank, DeleteBank, AddUser, EditUser, DeleteUser, AddProject, DeleteProject,
               Charge, ClearUsage, EditProject>
      edit;
};

/// An edit, and where it stands: `users.csv:17`.
struct PlacedBank {
  std::string place;
  BankEdit edit;
};
struct PlacedUser {
  std::string place;
  UserEdit edit;
};

struct AccountTables {
  std::vector<PlacedBank> banks;
  std::vector<PlacedUser> users;
};

/// What was added and what was changed.
struct TransferCounts {
  std::size_t banks_added = 0, banks_changed = 0, users_added = 0, users_changed = 0;
  std::vector<std::string> unknown;  ///< as in EditAccountsReply
};

/// Adds what is not there and changes what is, in one transaction. Refused with Error with the place of the
/// first that cannot be.
struct ImportAccountsRequest {
  using Reply = TransferCounts;
  AccountTables tables;
};

/// A bank with all that is in it, or a user in a bank.
struct AccountNode {
  bool is_user = false;
  std::string name, parent;
  double shares = 1;          ///< of what its parent has, beside its siblings'
  bool closed = false;        ///< deleted, and kept for what was used: takes no jobs and has no shares
  std::uint64_t running = 0;  ///< jobs that hold something
  priority::AccountLimits limits;
  std::uint32_t userid = 0;                        ///< of a user, as the following
  bool is_default = false;                         ///< the bank of jobs that name none
  std::vector<std::string> queues, qos, projects;  ///< that it may use: see priority::Association
  std::string default_project;
  priority::Amounts decayed{}, total{};  ///< of each resource now, running jobs included
  double month_core_seconds = 0;         ///< used since the month began
  double usage = 0;                      ///< the one number of it: by weight, decayed
  double allotted = 0;                   ///< the part of everything that its shares give it
  double effective_usage = 0;            ///< the part of all usage that is its
  std::optional<double> fair_share;      ///< none of banks under fair-tree, and of closed ones
  std::optional<std::size_t> rank;       ///< under fair-tree
  std::uint64_t active_jobs = 0;         ///< of a bank: of all in it
  std::vector<AccountNode> children;     ///< banks by name, then users by name

  /// What counts among its siblings.
  [[nodiscard]] double claim() const { return closed ? 0 : shares; }
};

struct AccountTree {
  bool exists = false;  ///< false: there are no accounts
  priority::Accounting accounting;
  AccountNode root;
};

struct AccountsRequest {
  using Reply = AccountTree;
};

struct Project {
  std::string name, description;
  std::uint64_t jobs = 0;       ///< that have ended
  priority::Amounts seconds{};  ///< used in all, not decayed, running jobs included
  std::vector<std::string>
      users;  ///< in banks, `ada:physics`, that may name it beside those who may name any
};

struct ProjectsReply {
  std::vector<Project> projects;  ///< by name; without any, jobs may name what they like
};

struct ProjectsRequest {
  using Reply = ProjectsReply;
};

/// The bank of that name in the tree. Throws Error{not_found} with a near match.
[[nodiscard]] const AccountNode& require_bank_node(const AccountTree& tree, std::string_view name);
/// A user's associations, by bank. Throws as that.
[[nodiscard]] std::vector<const AccountNode*> require_user_nodes(const AccountTree& tree,
                                                                 std::string_view user);
/// All banks, or all users, closed ones left out unless they are asked for: by their place in the tree.
[[nodiscard]] std::vector<const AccountNode*> bank_nodes(const AccountTree& tree, bool closed);
[[nodiscard]] std::vector<const AccountNode*> user_nodes(const AccountTree& tree, bool closed);

}  // namespace fq::request
