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
  parser.option("-b,--banks", "FILE", banks, fmt::format("the banks; - is stdout ({})", kBankFile));
  parser.option("-u,--users", "FILE", users, fmt::format("the users ({})", kUserFile));
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

namespace {

int read_tables(int argc, char** argv, std::string_view called) {
  cli::CommonOptions common;
  std::vector<std::string> banks, users, dumps;
  bool quiet = false;
  cli::OptionParser parser(fmt::format("fq-account {}", called),
                           "add banks and users from tables, and change those there are");
  parser.example(fmt::format("fq account {} -b bank_table.csv -u association_table.csv", called));
  parser.example(fmt::format("fq account {} --sacctmgr cluster.cfg", called));
  parser.group("From (all or nothing is done)");
  parser.option("-b,--banks", "FILE", banks, "CSV of banks: bank,parent_bank,shares,...");
  parser.option("-u,--users", "FILE", users, "CSV of users: username,userid,bank,shares,...");
  parser.option("--sacctmgr", "FILE", dumps, "what Slurm's 'sacctmgr dump' wrote");
  parser.group("Options");
  parser.flag("-q,--quiet", quiet, "do not say what was done");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (banks.empty() && users.empty() && dumps.empty())
    throw Error{Kind::usage, "from what? give --banks, --users or --sacctmgr"};
  request::AccountTables tables;
  std::vector<std::string> notes;
  const auto read = [&](const std::vector<std::string>& paths, const auto& read_text) {
    for (const std::string& path : paths) {
      const auto more = read_text(cli::read_input(path), shown_name(path), tables);
      notes.insert(notes.end(), more.begin(), more.end());
    }
  };
  read(banks, request::read_bank_table);
  read(users, request::read_user_table);
  read(dumps, request::read_slurm_dump);
  const tools::StoreSession store("fq-account", common);
  const request::TransferCounts counts = store.get().ask(request::ImportAccountsRequest{tables});
  say_notes(notes);
  say_notes(counts.unknown);
  if (!quiet) {
    cli::print(fmt::format("{} added and {} changed, {} added and {} changed\n",
                           counted(counts.banks_added, "bank"), counts.banks_changed,
                           counted(counts.users_added, "user"), counts.users_changed));
  }
  return 0;
}

}  // namespace

int import_tables(int argc, char** argv) {
  return read_tables(argc, argv, "import");
}

int pop_tables(int argc, char** argv) {
  return read_tables(argc, argv, "pop");
}

}  // namespace fq::tools::account
