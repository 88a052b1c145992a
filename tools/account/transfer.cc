// fq-account export and import.

#include "account/commands.h"
#include "account/options.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/frame/input.h"
#include "cli/frame/output.h"
#include "frame/store_session.h"
#include "request/account_tables.h"
#include "request/accounts.h"

namespace fq::tools::account {

namespace {

constexpr const char* kBankFile = "bank_table.csv";
constexpr const char* kUserFile = "association_table.csv";

void write_table(const std::string& path, const std::string& text, bool force) {
  if (path == "-") return cli::print(text);
  if (!force && exists(path))
    throw Error{Kind::refused, fmt::format("{} exists already", quote(path)), "--force replaces it"};
  constexpr mode_t kReadable = 0644;
  replace_file(path, text, kReadable);
}

std::string shown_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

}  // namespace

int export_tables(int argc, char** argv) {
  cli::CommonOptions common;
  std::optional<std::string> banks, users;
  bool force = false;
  cli::OptionParser parser("fq-account export",
                           "write banks and users as CSV, with flux-accounting's columns");
  parser.example("fq account export");
  parser.example("fq account export --users -");
  parser.group("Which (both)");
  parser.option("--banks", "FILE", banks, fmt::format("the banks; - is stdout ({})", kBankFile));
  parser.option("--users", "FILE", users, fmt::format("the users ({})", kUserFile));
  parser.group("Options");
  parser.flag("-f,--force", force, "replace files that exist");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (!banks && !users) {
    banks = kBankFile;
    users = kUserFile;
  }
  show_accounts(common, [&](const request::AccountTree& tree) {
    if (banks) write_table(*banks, request::bank_table(tree), force);
    if (users) write_table(*users, request::user_table(tree), force);
    return std::string{};
  });
  return 0;
}

int import_tables(int argc, char** argv) {
  cli::CommonOptions common;
  std::vector<std::string> banks, users, dumps;
  bool quiet = false;
  cli::OptionParser parser("fq-account import",
                           "add banks and users from tables, and change those there are");
  parser.example("fq account import --banks bank_table.csv --users association_table.csv");
  parser.example("fq account import --sacctmgr cluster.cfg");
  parser.group("From (all or nothing is done)");
  parser.option("--banks", "FILE", banks, "CSV of banks: bank,parent_bank,shares,...");
  parser.option("--users", "FILE", users, "CSV of users: username,userid,bank,shares,...");
  parser.option("--sacctmgr", "FILE", dumps, "what Slurm's 'sacctmgr dump' wrote");
  parser.group("Options");
  parser.flag("-q,--quiet", quiet, "do not say what was done");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (banks.empty() && users.empty() && dumps.empty())
    throw Error{Kind::usage, "from what? give --banks, --users or --sacctmgr"};
  request::AccountTables tables;
  for (const std::string& path : banks)
    request::read_bank_table(cli::read_input(path), shown_name(path), tables);
  for (const std::string& path : users)
    request::read_user_table(cli::read_input(path), shown_name(path), tables);
  for (const std::string& path : dumps)
    request::read_slurm_dump(cli::read_input(path), shown_name(path), tables);
  const tools::StoreSession store("fq-account", common);
  const request::TransferCounts counts = store.get().ask(request::ImportAccountsRequest{tables});
  if (!quiet) {
    cli::print(fmt::format("{} added and {} changed, {} added and {} changed\n",
                           counted(counts.banks_added, "bank"), counts.banks_changed,
                           counted(counts.users_added, "user"), counts.users_changed));
  }
  return 0;
}

}  // namespace fq::tools::account
