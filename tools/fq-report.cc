// fq-report: a store at a glance, as a page, as figures for monitoring, or as JSON.

#include <optional>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/report/report_metrics.h"
#include "cli/report/report_page.h"
#include "commands.h"
#include "frame/store_session.h"
#include "request/site.h"

namespace {

using namespace fq;

int parse_days(const std::string& text) {
  constexpr std::uint64_t kMost = request::kMostDays;
  const auto days = parse_u64(text);
  if (!days || *days == 0 || *days > kMost)
    throw error(Kind::invalid, "expected a number of days from 1 to {}, got {}", kMost, quote(text));
  return static_cast<int>(*days);
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  bool html = false, metrics = false, csv = false, json = false;
  std::optional<int> days;
  std::optional<std::string> path;
  std::string title = "fq";
  cli::OptionParser parser("fq-report", "what there is, who uses it, how long jobs wait and how they end");
  parser.example("fq report --html -o report.html");
  parser.example("fq report --metrics -o /var/lib/node_exporter/fq.prom");
  parser.group("As what");
  parser.flag("--html", html, "one page that needs nothing else");
  parser.flag("--metrics", metrics, "figures as text for Prometheus");
  parser.flag("--csv", csv, "the same as comma-separated values");
  parser.flag("--json", json, "print JSON");
  parser.group("Options");
  parser.option("-o,--output", "FILE", path, "write to this file, whole or not at all");
  parser.option(
      "--days", "N", [&](const std::string& text) { days = parse_days(text); },
      "the last N days (30; 1 of --metrics)");
  parser.option("--title", "TEXT", title, "what stands on top of the page (fq)");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (html + metrics + csv + json != 1)
    throw Error{Kind::usage, "as what? give one of --html, --metrics, --csv and --json"};
  constexpr int kDays = 30;
  const tools::StoreSession store("fq-report", common);
  const request::SiteReport report =
      store.get().ask(request::SiteRequest{days.value_or(metrics ? 1 : kDays)});
  const std::string text = html      ? cli::report_page(report, title)
                           : metrics ? cli::report_metrics(report)
                           : csv     ? cli::report_csv(report)
                                     : cli::report_json(report);
  if (!path || *path == "-") {
    cli::print(text);
    return 0;
  }
  constexpr mode_t kReadable = 0644;
  replace_file(*path, text, kReadable);
  return 0;
}

}  // namespace

int fq::tools::command::report(int argc, char** argv) {
  return ::run(argc, argv);
}
