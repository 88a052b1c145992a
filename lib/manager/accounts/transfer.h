// Accounts as tables that other systems write and read: CSV with the columns of flux-accounting, and what
// `sacctmgr dump` writes.
//
//   banks   bank,parent_bank,shares[,active,job_usage,max_running_jobs,…]
//   users   username,userid,bank,default_bank,shares,job_usage,max_running_jobs,max_active_jobs,max_nodes,
//           max_cores,queues[,active,max_gpus,max_core_hours,qos]
//
// The first line names the columns, in any case and with or without `_`; a table without one has
// `Bank,ParentBank,Shares`, or `Username,UserID,Bank,Shares,MaxRunningJobs,MaxActiveJobs,MaxNodes,Queues`.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "manager/accounts/book.h"
#include "manager/accounts/overview.h"

namespace fq::manager {

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

// Each adds what a text has to `tables`; `name` is that of the file. They throw Error{invalid}
// `users.csv:17: …`. Banks and users that are not active are left out.

void read_bank_table(std::string_view text, const std::string& name, AccountTables& tables);
void read_user_table(std::string_view text, const std::string& name, AccountTables& tables);
/// Shares (Fairshare), accounts as banks, default accounts, and of limits MaxJobs, MaxSubmitJobs, GrpJobs,
/// GrpSubmitJobs and GrpTRES of cpu, node and gres/gpu; everything else is passed over.
void read_slurm_dump(std::string_view text, const std::string& name, AccountTables& tables);

/// What was added and what was changed.
struct TransferCounts {
  std::size_t banks_added = 0, banks_changed = 0, users_added = 0, users_changed = 0;
};
/// Adds what is not there and changes what is, in one transaction. Throws Error with the place of the first
/// that cannot be.
TransferCounts import_accounts(const Session& session, const AccountTables& tables);

/// The same as a part of what else is done to `book`. Users without a number get a stand-in.
TransferCounts import_into(AccountBook& book, const AccountTables& tables);

/// The tables of all banks, and of all users, as CSV.
[[nodiscard]] std::string bank_table(const AccountTree& tree);
[[nodiscard]] std::string user_table(const AccountTree& tree);

}  // namespace fq::manager
