// fq-account view-usage-report.

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "account/commands.h"
#include "account/options.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "document/jobspec/begin_time.h"
#include "frame/store_session.h"
#include "request/usage_report.h"

namespace fq::tools::account {

using nlohmann::json;
using request::ReportRow;

namespace {

struct Unit {
  std::string_view name, suffix;
  double seconds;
};
constexpr std::array kUnits{Unit{"hour", "hours", 3600}, Unit{"min", "minutes", 60},
                            Unit{"sec", "seconds", 1}};
/// Memory and energy are not measured; they are charged by hand alone, and shown in JSON.
constexpr std::array<std::size_t, 3> kShown{0, 1, 2};

std::vector<request::ReportBy> parse_by(const std::string& text) {
  std::vector<request::ReportBy> by;
  for (const std::string_view part : split(text, ',')) {
    // As flux-accounting calls its reports: byuser, bybank, byassociation.
    const std::string_view name = part.starts_with("by") ? part.substr(2) : part;
    const auto found = std::find_if(request::kReportBy.begin(), request::kReportBy.end(),
                                    [&](const request::ReportByName& each) { return each.name == name; });
    if (found == request::kReportBy.end()) {
      std::vector<std::string> known;
      for (const request::ReportByName& each : request::kReportBy) known.emplace_back(each.name);
      throw Error{Kind::invalid,
                  fmt::format("there is no report by {}: expected one of {}", quote(part), join(known, ", ")),
                  did_you_mean(name, known)};
    }
    if (std::find(by.begin(), by.end(), found->by) != by.end())
      throw error(Kind::invalid, "{} stands there twice", quote(name));
    by.push_back(found->by);
  }
  return by;
}

std::vector<std::string> headings(const std::vector<request::ReportBy>& by, const Unit& unit) {
  std::vector<std::string> names;
  for (const request::ReportBy each : by) {
    names.emplace_back(
        std::find_if(request::kReportBy.begin(), request::kReportBy.end(), [&](const auto& known) {
          return known.by == each;
        })->name);
  }
  names.emplace_back("jobs");
  for (const std::size_t i : kShown)
    names.push_back(fmt::format("{}-{}", priority::kResourceNames[i], unit.suffix));
  return names;
}

// Two digits; what is rounded to nothing has no sign.
std::string amount_text(double amount) {
  std::string text = fmt::format("{:.2f}", amount);
  return text == "-0.00" ? "0.00" : text;
}

std::vector<std::string> cells(const ReportRow& row, std::size_t keys, const Unit& unit) {
  std::vector<std::string> fields = row.key;
  if (fields.empty()) fields.emplace_back("TOTAL");
  fields.resize(keys);
  fields.push_back(fmt::format("{}", row.jobs));
  for (const std::size_t i : kShown) fields.push_back(amount_text(row.seconds[i] / unit.seconds));
  return fields;
}

std::string lines(const std::vector<std::vector<std::string>>& table, std::size_t keys) {
  std::vector<std::size_t> widths(table.front().size());
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += i < keys ? fmt::format("{:<{}}", printable(row[i]), widths[i])
                      : fmt::format("{:>{}}", row[i], widths[i]);
      out += i + 1 < row.size() ? ' ' : '\n';
    }
  }
  return out;
}

std::string as_json(const std::vector<ReportRow>& rows, const std::vector<std::string>& names,
                    std::size_t keys) {
  const auto object_of = [&](const ReportRow& row) {
    json object = json::object();
    for (std::size_t i = 0; i < row.key.size() && i < keys; ++i) object[names[i]] = row.key[i];
    object["jobs"] = row.jobs;
    for (std::size_t i = 0; i < priority::kResources; ++i)
      object[std::string{priority::kAmountNames[i]}] = row.seconds[i];
    return object;
  };
  json list = json::array();
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) list.push_back(object_of(rows[i]));
  return json{{"rows", list}, {"total", object_of(rows.back())}}.dump() + '\n';
}

}  // namespace

int view_usage_report(int argc, char** argv) {
  cli::CommonOptions common;
  request::ReportRequest request;
  std::string start, end;
  const Unit* unit = &kUnits.front();
  bool csv = false, in_json = false;
  cli::OptionParser parser("fq-account view-usage-report",
                           "what was used in all: not decayed, running jobs included");
  parser.example("fq account view-usage-report --by=bank,month --start=2026-01-01");
  parser.group("Options");
  parser.option(
      "-r,--by", "KEY,...", [&](const std::string& text) { request.by = parse_by(text); },
      "user, bank, association, queue, project, qos,");
  parser.option(
      "--report-type", "KEY", [&](const std::string& text) { request.by = parse_by(text); },
      "size, hour, day or month (association)");
  parser.option("-s,--start", "TIME", start, "from this hour on");
  parser.option("-e,--end", "TIME", end, "until this hour");
  parser.option("-u,--user", "USER", request.user, "of this user");
  parser.option("-b,--bank", "BANK", request.bank, "of this bank, with all that is in it");
  parser.option(
      "-t,--time-unit", "UNIT",
      [&](const std::string& text) {
        unit =
            std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& each) { return each.name == text; });
        if (unit == kUnits.end())
          throw error(Kind::invalid, "expected hour, min or sec, got {}", quote(text));
      },
      "hour, min or sec (hour)");
  parser.flag("--csv", csv, "comma-separated values");
  parser.flag("--json", in_json, "print JSON, in seconds");
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  if (csv && in_json) throw Error{Kind::combination, "--csv cannot be used with --json"};
  const tools::StoreSession store("fq-account", common);
  if (!start.empty()) request.from = document::parse_past_time(start, store.now());
  if (!end.empty()) request.to = document::parse_past_time(end, store.now());
  if (request.from && request.to && *request.from > *request.to)
    throw error(Kind::usage, "--start {} is after --end {}", quote(start), quote(end.empty() ? "now" : end));
  const std::vector<ReportRow> rows = store.get().ask(request).rows;
  const std::size_t keys = request.by.size();
  const std::vector<std::string> names = headings(request.by, *unit);
  if (in_json) {
    cli::print(as_json(rows, names, keys));
    return 0;
  }
  std::vector<std::vector<std::string>> table{names};
  for (const ReportRow& row : rows) table.push_back(cells(row, keys, *unit));
  if (!csv) {
    cli::print(lines(table, keys));
    return 0;
  }
  std::string out;
  for (const auto& row : table) append_csv(out, row);
  cli::print(out);
  return 0;
}

}  // namespace fq::tools::account
