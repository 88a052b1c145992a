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
      {"add-bank", "add, change or delete a bank", account::add_bank},
      {"edit-bank", "", account::edit_bank},
      {"delete-bank", "", account::delete_bank},
      {"view-bank", "show a bank, or all that is in it; list them", account::view_bank},
      {"list-banks", "", account::list_banks},
      {"add-user", "add a user to a bank, change or delete one", account::add_user},
      {"edit-user", "", account::edit_user},
      {"delete-user", "", account::delete_user},
      {"view-user", "show a user in all banks; list them", account::view_user},
      {"list-users", "", account::list_users},
      {"add-queue", "add, change or delete a queue", account::add_queue},
      {"edit-queue", "", account::edit_queue},
      {"delete-queue", "", account::delete_queue},
      {"view-queue", "show a queue with its limits; list them", account::view_queue},
      {"list-queues", "", account::list_queues},
      {"add-project", "add, change or delete a project", account::add_project},
      {"edit-project", "", account::edit_project},
      {"delete-project", "", account::delete_project},
      {"view-project", "show a project and what was used; list them", account::view_project},
      {"list-projects", "", account::list_projects},
      {"charge", "charge a user for what was used elsewhere, or credit", account::charge},
      {"show-usage", "who has used the most, as bars", account::show_usage},
      {"clear-usage", "begin anew with what counts as used", account::clear_usage},
      {"bank-info", "shares and fair-share of your banks, or of others", account::bank_info},
      {"view-usage-report", "what was used in all", account::view_usage_report},
      {"export", "write banks and users as tables", account::export_tables},
      {"import", "read banks and users from tables, or from Slurm", account::import_tables},
      {"pop", "", account::pop_tables},
  };
  return cli::run_sub_command("fq-account", "banks, their users, and what these have used", commands, argc,
                              argv);
}

}  // namespace

int fq::tools::command::account(int argc, char** argv) {
  return ::run(argc, argv);
}
