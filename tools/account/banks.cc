// fq-account add-bank, edit-bank, delete-bank, view-bank, list-banks.

#include "account/commands.h"
#include "account/options.h"
#include "base/error.h"
#include "cli/frame/output.h"
#include "frame/store_session.h"
#include "request/accounts.h"

namespace fq::tools::account {

namespace {

void add_bank_options(cli::OptionParser& parser, request::BankEdit& edit) {
  parser.option("--parent-bank", "BANK", edit.parent, "the bank that it is part of");
  parser.option(
      "--shares", "N", [&](const std::string& text) { edit.shares = parse_shares(text); },
      "of what its parent has, beside its siblings'");
  parser.option(
      "--fairshare", "N", [&](const std::string& text) { edit.shares = parse_shares(text); }, "");
  add_limit_options(parser, edit.limits);
}

}  // namespace

int add_bank(int argc, char** argv) {
  cli::CommonOptions common;
  request::BankEdit edit;
  cli::OptionParser parser("fq-account add-bank", "add a bank; the first makes 'root', which has everything",
                           {"BANK [SHARES]", 1, 2});
  parser.example("fq account add-bank physics 3");
  parser.example("fq account add-bank optics 1 --parent-bank=physics");
  parser.group("Options");
  add_bank_options(parser, edit);
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  edit.name = operands.front();
  if (operands.size() > 1) {
    if (edit.shares) throw Error{Kind::combination, "give SHARES or --shares, not both"};
    edit.shares = parse_shares(operands[1]);
  }
  const tools::StoreSession store("fq-account", common);
  store.get().ask(request::EditAccountsRequest{request::AddBank{edit}});
  return 0;
}

int edit_bank(int argc, char** argv) {
  cli::CommonOptions common;
  request::BankEdit edit;
  cli::OptionParser parser("fq-account edit-bank", "change a bank: what is not given stays", {"BANK", 1, 1});
  parser.example("fq account edit-bank physics --shares=5");
  parser.group("Options");
  add_bank_options(parser, edit);
  cli::add_common_options(parser, common);
  edit.name = parser.parse(argc, argv).front();
  if (!edit.parent && !edit.shares && edit.limits.empty())
    throw Error{Kind::usage, "what is to be changed? give at least one option"};
  const tools::StoreSession store("fq-account", common);
  store.get().ask(request::EditAccountsRequest{request::EditBank{edit}});
  return 0;
}

int delete_bank(int argc, char** argv) {
  cli::CommonOptions common;
  bool force = false;
  cli::OptionParser parser("fq-account delete-bank", "delete a bank; what was used in it stays on record",
                           {"BANK", 1, 1});
  parser.example("fq account delete-bank optics");
  parser.group("Options");
  parser.flag("--force", force, "with all in it; jobs that are there end as they do");
  cli::add_common_options(parser, common);
  const std::string name = parser.parse(argc, argv).front();
  const tools::StoreSession store("fq-account", common);
  const auto in_use = force ? request::InUse::close : request::InUse::refuse;
  store.get().ask(request::EditAccountsRequest{request::DeleteBank{name, in_use}});
  return 0;
}

int view_bank(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  bool tree = false, users = false;
  cli::OptionParser parser("fq-account view-bank", "show a bank, or all that is in it", {"[BANK]", 0, 1});
  parser.example("fq account view-bank -t");
  parser.group("Options");
  parser.flag("-t,--tree", tree, "all banks and users in it, with shares and usage");
  parser.flag("-u,--users", users, "the users right in it");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  if (tree && users) throw Error{Kind::combination, "--tree cannot be used with --users"};
  const cli::AccountRows rows = tree    ? cli::AccountRows::tree
                                : users ? cli::AccountRows::users
                                        : cli::AccountRows::banks;
  if (const auto told = cli::account_formats_told(rows, listing)) {
    cli::print(*told);
    return 0;
  }
  cli::check_account_listing(rows, listing);
  const std::string name = operands.empty() ? std::string{priority::kRootBank} : operands.front();
  show_accounts(common, [&](const request::AccountTree& all) {
    const request::AccountNode& bank = request::require_bank_node(all, name);
    if (tree) return cli::list_account_tree(bank, listing);
    std::vector<const request::AccountNode*> nodes;
    if (!users) nodes.push_back(&bank);
    for (const request::AccountNode& child : bank.children) {
      if (users && child.is_user && !child.closed) nodes.push_back(&child);
    }
    return cli::list_accounts(nodes, rows, listing);
  });
  return 0;
}

int list_banks(int argc, char** argv) {
  return list_all(argc, argv, "list-banks", "list the banks", cli::AccountRows::banks);
}

}  // namespace fq::tools::account
