// Accounts as tables that other systems write and read: CSV with the columns of flux-accounting, and what
// `sacctmgr dump` writes.
//
//   banks   bank,parent_bank,shares[,active,job_usage,max_running_jobs,…]
//   users   username,userid,bank,default_bank,shares,job_usage,max_running_jobs,max_active_jobs,max_nodes,
//           max_cores,queues[,active,max_gpus,max_core_hours,qos,projects,default_project,core_seconds,
//           gpu_seconds,node_seconds,memory_seconds,energy_joules]
//
// The first line names the columns, in any case and with or without `_`; a table without one has
// `Bank,ParentBank,Shares`, or `Username,UserID,Bank,Shares,MaxRunningJobs,MaxActiveJobs,MaxNodes,Queues`.

#pragma once

#include <string>
#include <string_view>

#include "request/accounts.h"

namespace fq::request {

/// Runs `act`; what it throws is said of that place, `users.csv:17`.
template <typename Act>
void at_place(const std::string& place, const Act& act) {
  try {
    act();
  } catch (const Error& failure) {
    throw failure.within(place);
  }
}

// Each adds what a text has to `tables`, and returns what of it has no counterpart here, a sentence each;
// `name` is that of the file. They throw Error{invalid} `users.csv:17: …`. Banks and users that are not
// active are closed.

std::vector<std::string> read_bank_table(std::string_view text, const std::string& name,
                                         AccountTables& tables);
std::vector<std::string> read_user_table(std::string_view text, const std::string& name,
                                         AccountTables& tables);
/// Shares (Fairshare), accounts as banks, default accounts, QOS, and of limits MaxJobs, MaxSubmitJobs,
/// GrpJobs, GrpSubmitJobs and GrpTRES of cpu, node and gres/gpu.
std::vector<std::string> read_slurm_dump(std::string_view text, const std::string& name,
                                         AccountTables& tables);

/// The tables of all banks, and of all users, closed ones included, as CSV: read again they are the same.
[[nodiscard]] std::string bank_table(const AccountTree& tree);
[[nodiscard]] std::string user_table(const AccountTree& tree);

}  // namespace fq::request
