// fq-account charge and the projects.

#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "account/commands.h"
#include "account/options.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "document/jobspec/begin_time.h"
#include "frame/store_session.h"
#include "request/accounts.h"

namespace fq::tools::account {

namespace {

double parse_seconds(const std::string& text) {
  const std::string digits = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  constexpr double kMost = 1e15;
  if (code == std::errc{} && end == digits.data() + digits.size() && std::abs(value) <= kMost) return value;
  throw error(Kind::invalid, "expected a number of seconds, got {}", quote(text));
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
  for (std::size_t i = 0; i < priority::kResources; ++i) {
    const auto take = [&, i](const std::string& text) {
      charge.amounts[i] = parse_seconds(text);
      any = true;
    };
    parser.option(fmt::format("--{}-seconds", priority::kResourceNames[i]), "N", take,
                  i + 1 == priority::kResources ? "GiB-seconds" : "its seconds");
  }
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

namespace {

// The project that a command is about.
std::string project_operand(int argc, char** argv, std::string_view name, std::string_view summary,
                            cli::CommonOptions& common) {
  cli::OptionParser parser(fmt::format("fq-account {}", name), summary, {"PROJECT", 1, 1});
  parser.example(fmt::format("fq account {} laser", name));
  cli::add_common_options(parser, common);
  return parser.parse(argc, argv).front();
}

}  // namespace

int add_project(int argc, char** argv) {
  cli::CommonOptions common;
  const std::string name =
      project_operand(argc, argv, "add-project", "add a project: jobs may name only those there are", common);
  const tools::StoreSession store("fq-account", common);
  store.get().ask(request::EditAccountsRequest{request::AddProject{name}});
  return 0;
}

int delete_project(int argc, char** argv) {
  cli::CommonOptions common;
  const std::string name = project_operand(
      argc, argv, "delete-project", "delete a project; without any, jobs may name what they like", common);
  const tools::StoreSession store("fq-account", common);
  store.get().ask(request::EditAccountsRequest{request::DeleteProject{name}});
  return 0;
}

int list_projects(int argc, char** argv) {
  cli::CommonOptions common;
  bool as_json = false;
  cli::OptionParser parser("fq-account list-projects", "list the projects");
  parser.example("fq account list-projects");
  parser.group("Options");
  parser.flag("--json", as_json, "print JSON");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  const tools::StoreSession store("fq-account", common);
  const std::vector<std::string> names = store.get().ask(request::ProjectsRequest{}).names;
  if (as_json) {
    cli::print(nlohmann::json{{"projects", names}}.dump() + '\n');
    return 0;
  }
  for (const std::string& name : names) cli::print_line(name);
  return 0;
}

}  // namespace fq::tools::account
