// fq-account show-usage, clear-usage and bank-info.

#include <algorithm>
#include <cmath>
#include <vector>

#include <unistd.h>

#include "account/commands.h"
#include "account/options.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "cli/jobs/job_text.h"
#include "frame/store_session.h"
#include "request/accounts.h"

namespace fq::tools::account {

using request::AccountNode;

namespace {

// Rows with bars, the longest first; bars are as long as usage is of the first one's.
std::string bars(std::vector<const AccountNode*> nodes, std::size_t most) {
  constexpr std::size_t kWidth = 50;
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const AccountNode* a, const AccountNode* b) { return a->usage > b->usage; });
  nodes.resize(std::min(nodes.size(), most));
  const auto name = [](const AccountNode& node) {
    return printable(node.is_user ? fmt::format("{} / {}", node.name, node.parent) : node.name);
  };
  std::size_t longest = 0;
  for (const AccountNode* node : nodes) longest = std::max(longest, name(*node).size());
  std::string out;
  for (const AccountNode* node : nodes) {
    const double part = nodes.front()->usage > 0 ? node->usage / nodes.front()->usage : 0;
    const auto length = static_cast<std::size_t>(std::lround(part * static_cast<double>(kWidth)));
    std::string bar;
    for (std::size_t i = 0; i < length; ++i) bar += "█";
    out += fmt::format("{:<{}} | {}{} {:>14.2f}\n", name(*node), longest, bar,
                       std::string(kWidth - length, ' '), node->usage);
  }
  return out;
}

}  // namespace

int show_usage(int argc, char** argv) {
  cli::CommonOptions common;
  std::size_t limit = 10;
  cli::OptionParser parser("fq-account show-usage", "who has used the most, as bars",
                           {"associations|banks", 1, 1});
  parser.example("fq account show-usage associations --limit=5");
  parser.group("Options");
  const auto take = [&](const std::string& text) {
    const auto number = parse_u64(text);
    if (!number || *number == 0) throw error(Kind::invalid, "expected a number of rows, got {}", quote(text));
    limit = static_cast<std::size_t>(*number);
  };
  parser.option("-n,--limit", "N", take, "rows at the most (10)");
  cli::add_common_options(parser, common);
  const std::string of = parser.parse(argc, argv).front();
  if (of != "associations" && of != "banks")
    throw Error{Kind::usage, fmt::format("usage of {}? expected associations or banks", quote(of)),
                did_you_mean(of, std::vector<std::string>{"associations", "banks"})};
  show_accounts(common, [&](const request::AccountTree& tree) {
    return bars(of == "banks" ? request::bank_nodes(tree, true) : request::user_nodes(tree, true), limit);
  });
  return 0;
}

int clear_usage(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-account clear-usage", "begin anew with what counts as used",
                           {"BANK...", 1, cli::Operands::kUnlimited});
  parser.example("fq account clear-usage physics");
  cli::add_common_options(parser, common);
  const std::vector<std::string> banks = parser.parse(argc, argv);
  const tools::StoreSession store("fq-account", common);
  store.get().ask(request::EditAccountsRequest{request::ClearUsage{banks}});
  return 0;
}

int bank_info(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  std::string tree, banks, to_root, user, without;
  bool verbose = false, parsable = false;
  cli::OptionParser parser("fq-account bank-info", "shares and fair-share of your banks, or of others");
  parser.example("fq account bank-info --tree physics");
  parser.group("What to show");
  parser.option("-t,--tree", "BANK", tree, "all in the bank, with users");
  parser.option("-T,--tree-no-users", "BANK", banks, "the banks in the bank");
  parser.option("-r,--to-root", "BANK", to_root, "the bank and those that it is part of");
  parser.option("-u,--user", "USER", user, "the banks of a user (you)");
  parser.option("-x,--exclude", "BANK", without, "not this bank");
  parser.group("How");
  parser.flag("-v,--verbose", verbose, "also what was used in all");
  parser.flag("-P,--parsable", parsable, "columns separated by |");
  parser.flag("-n,--noheader", listing.no_header, "no line of headings");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  const int asked =
      (tree.empty() ? 0 : 1) + (banks.empty() ? 0 : 1) + (to_root.empty() ? 0 : 1) + (user.empty() ? 0 : 1);
  if (asked > 1)
    throw Error{Kind::combination, "of --tree, --tree-no-users, --to-root and --user one can be given"};
  if (verbose && parsable) throw Error{Kind::combination, "--verbose cannot be used with --parsable"};
  listing.format = parsable ? "parsable" : verbose ? "verbose" : "default";
  if (asked == 0) user = cli::user_name(::geteuid());
  show_accounts(common, [&](const request::AccountTree& all) {
    if (!tree.empty())
      return cli::list_account_tree(request::require_bank_node(all, tree), listing, {true, without});
    if (!banks.empty())
      return cli::list_account_tree(request::require_bank_node(all, banks), listing, {false, without});
    std::vector<const AccountNode*> nodes;
    if (!to_root.empty()) {
      for (const AccountNode* at = &request::require_bank_node(all, to_root);;
           at = &request::require_bank_node(all, at->parent)) {
        nodes.push_back(at);
        if (at->parent.empty()) break;
      }
      std::reverse(nodes.begin(), nodes.end());
    } else {
      nodes = request::require_user_nodes(all, user);
    }
    std::erase_if(nodes, [&](const AccountNode* node) {
      return !without.empty() && (node->is_user ? node->parent : node->name) == without;
    });
    return cli::list_accounts(nodes, cli::AccountRows::tree, listing);
  });
  return 0;
}

}  // namespace fq::tools::account
