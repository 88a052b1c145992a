// fq-account: banks, users in them, what they have used and what they get for it.

#include <vector>

#include "account/commands.h"
#include "cli/frame/sub_command.h"
#include "commands.h"

namespace {

using namespace fq;

int run(int argc, char** argv) {
  namespace account = tools::account;
  const std::vector<cli::SubCommand> commands{
      {"add-bank", "add a bank", account::add_bank},
      {"edit-bank", "change a bank", account::edit_bank},
      {"delete-bank", "delete a bank", account::delete_bank},
      {"view-bank", "show a bank, or all that is in it", account::view_bank},
      {"list-banks", "list the banks", account::list_banks},
      {"add-user", "add a user to a bank", account::add_user},
      {"edit-user", "change a user", account::edit_user},
      {"delete-user", "delete a user from one bank, or from all", account::delete_user},
      {"view-user", "show a user in all banks that the user is in", account::view_user},
      {"list-users", "list users, a line for each bank that one is in", account::list_users},
      {"add-project", "add a project", account::add_project},
      {"delete-project", "delete a project", account::delete_project},
      {"list-projects", "list the projects", account::list_projects},
      {"charge", "charge a user for what was used elsewhere, or credit", account::charge},
      {"show-usage", "who has used the most, as bars", account::show_usage},
      {"clear-usage", "begin anew with what counts as used", account::clear_usage},
      {"bank-info", "shares and fair-share of your banks, or of others", account::bank_info},
      {"view-usage-report", "what was used in all", account::view_usage_report},
      {"export", "write banks and users as tables", account::export_tables},
      {"import", "read banks and users from tables, or from Slurm", account::import_tables},
  };
  return cli::run_sub_command("fq-account", "banks, their users, and what these have used", commands, argc,
                              argv);
}

}  // namespace

int fq::tools::command::account(int argc, char** argv) {
  return ::run(argc, argv);
}
