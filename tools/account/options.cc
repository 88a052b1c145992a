#include "account/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "frame/store_session.h"
#include "priority/account.h"
#include "request/accounts.h"

namespace fq::tools::account {

double parse_shares(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc{} && end == text.data() + text.size() && value >= 0 && std::isfinite(value))
    return value;
  throw error(Kind::invalid, "expected a number that is not negative, got {}", quote(text));
}

void add_limit_options(cli::OptionParser& parser, request::LimitEdits& limits) {
  for (const priority::LimitName& each : priority::kLimitNames) {
    const auto take = [&limits, member = each.member](const std::string& text) {
      const auto most = parse_u64(text);
      if (text != "unlimited" && text != "-1" && (!most || *most > priority::AccountLimits::kMost))
        throw error(Kind::invalid, "expected a whole number or 'unlimited', got {}", quote(text));
      limits.emplace_back(member, most ? static_cast<std::int64_t>(*most) : priority::AccountLimits::kNone);
    };
    parser.option(fmt::format("--max-{}", each.name), "N", take, each.effect);
  }
}

void show_accounts(const cli::CommonOptions& common,
                   const std::function<std::string(const request::AccountTree&)>& show) {
  const tools::StoreSession store("fq-account", common);
  cli::print(show(store.get().ask(request::AccountsRequest{})));
}

void say_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) cli::say("fq-account", note);
}

int list_all(int argc, char** argv, std::string_view name, std::string_view summary, cli::AccountRows rows,
             const RowOptions& which) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  bool all = false;
  cli::OptionParser parser(fmt::format("fq-account {}", name), summary);
  parser.example(fmt::format("fq account {}", name));
  if (which.add) {
    parser.group("Which (all, if none of these is given)");
    which.add(parser);
  }
  parser.group("Options");
  parser.flag("-a,--all", all, "deleted ones, too, that have used something");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (const auto told = cli::account_formats_told(rows, listing)) {
    cli::print(*told);
    return 0;
  }
  cli::check_account_listing(rows, listing);
  const tools::StoreSession store("fq-account", common);
  const request::AccountTree tree = store.get().ask(request::AccountsRequest{});
  if (which.check) which.check(store.get(), tree);
  auto nodes =
      rows == cli::AccountRows::banks ? request::bank_nodes(tree, all) : request::user_nodes(tree, all);
  if (which.is_wanted)
    std::erase_if(nodes, [&](const request::AccountNode* node) { return !which.is_wanted(*node); });
  cli::print(cli::list_accounts(nodes, rows, listing));
  return 0;
}

}  // namespace fq::tools::account
