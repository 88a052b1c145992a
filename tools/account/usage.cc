// fq-account charge.

#include <charconv>
#include <cmath>

#include "account/commands.h"
#include "account/options.h"
#include "base/error.h"
#include "base/text.h"
#include "document/jobspec/begin_time.h"
#include "frame/store_session.h"
#include "request/accounts.h"

namespace fq::tools::account {

namespace {

double parse_amount(const std::string& text) {
  const std::string digits = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  constexpr double kMost = 1e15;
  if (code == std::errc{} && end == digits.data() + digits.size() && std::abs(value) <= kMost) return value;
  throw error(Kind::invalid, "expected a number, got {}", quote(text));
}

}  // namespace

int charge(int argc, char** argv) {
  cli::CommonOptions common;
  request::ManualCharge charge;
  std::string at, reason;
  bool any = false;
  cli::OptionParser parser("fq-account charge", "charge a user for what was used elsewhere, or credit",
                           {"USER BANK", 2, 2});
  parser.example("fq account charge ada physics --core-seconds=3600 --reason='old cluster'");
  parser.group("How much: negative is credited");
  const auto amount = [&](priority::Resource resource, std::string_view name, std::string_view help) {
    const auto take = [&, resource](const std::string& text) {
      charge.amounts[static_cast<std::size_t>(resource)] = parse_amount(text);
      any = true;
    };
    parser.option(name, "N", take, help);
  };
  amount(priority::Resource::core, "--core-seconds", "its seconds");
  amount(priority::Resource::gpu, "--gpu-seconds", "its seconds");
  amount(priority::Resource::node, "--node-seconds", "its seconds");
  amount(priority::Resource::memory, "--memory-seconds", "GiB-seconds");
  amount(priority::Resource::energy, "--energy", "joules");
  parser.group("Options");
  parser.option("--at", "TIME", at, "when it was used (now)");
  parser.option("--reason", "TEXT", reason, "what the log of the store says of it");
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  if (!any) throw Error{Kind::usage, "how much? give --core-seconds=N"};
  charge.user = operands[0];
  charge.bank = operands[1];
  const tools::StoreSession store("fq-account", common);
  charge.at = at.empty() ? store.now() : document::parse_past_time(at, store.now());
  if (charge.at <= 0) throw error(Kind::usage, "--at: {} is before 1970", quote(at));
  store.get().ask(request::EditAccountsRequest{request::Charge{charge, reason}});
  return 0;
}

}  // namespace fq::tools::account
