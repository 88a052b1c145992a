#include "cli/list/log_listing.h"

#include <array>
#include <ctime>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/format/format.h"
#include "cli/jobs/job_text.h"
#include "cli/list/listing.h"
#include "notation/fluid.h"

namespace fq::cli {

using nlohmann::json;
using notation::JobId;

namespace {

struct LogRow {
  double timestamp = 0;
  std::string event;
  std::optional<std::uint32_t> userid;  ///< none: the batch system itself
  std::string user, what;
  json context;
};

std::string local_text(double t) {
  const auto whole = static_cast<std::time_t>(t);
  std::tm fields{};
  char text[32] = "";
  if (::localtime_r(&whole, &fields) != nullptr) std::strftime(text, sizeof text, "%F %T", &fields);
  return text;
}

// As other listings show them: jobs by their ids, times in local time. A number of jobs is one.
std::string shown_value(std::string_view key, const json& value) {
  const auto job = [](const json& id) {
    return id.is_number_unsigned() ? notation::to_f58(JobId{id.get<std::uint64_t>()}) : dump_json(id);
  };
  if (value.is_string()) return value.get<std::string>();
  if (key == "job") return job(value);
  if (key == "jobs" && value.is_array()) {
    std::vector<std::string> ids;
    for (const json& id : value) ids.push_back(job(id));
    return join(ids, ",");
  }
  if ((key == "start" || key == "end") && value.is_number()) return local_text(value.get<double>());
  return dump_json(value);
}

// `queue=batch: broken`: what an event says beside its name and who asked for it. Whole documents, and what
// is empty, are left to --json.
std::string told(const json& context) {
  std::string text;
  for (const auto& [key, value] : context.items()) {
    if (key == "userid" || key == "reason" || value.is_object() || value == "") continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, printable(shown_value(key, value)));
  }
  if (const auto reason = context.find("reason"); reason != context.end() && reason->is_string())
    text += fmt::format("{}{}", text.empty() ? "" : ": ", printable(reason->get<std::string>()));
  return text;
}

LogRow row_of(const request::LoggedEvent& event) {
  LogRow row{event.timestamp, event.name, {}, "-", {}, parse_json(event.context, "event")};
  if (const auto userid = row.context.find("userid");
      userid != row.context.end() && userid->is_number_unsigned()) {
    row.userid = userid->get<std::uint32_t>();
    row.user = user_name(*row.userid);
  }
  row.what = told(row.context);
  return row;
}

constexpr std::array kLogFields{
    Field<LogRow>{"time", "TIME", "when",
                  [](const LogRow& r, std::string_view, std::string&) { return Value{r.timestamp}; }},
    Field<LogRow>{
        "username", "USER", "who asked for it; - for the batch system itself",
        [](const LogRow& r, std::string_view, std::string&) { return Value{std::string_view{r.user}}; }},
    Field<LogRow>{
        "event", "EVENT", "what was done",
        [](const LogRow& r, std::string_view, std::string&) { return Value{std::string_view{r.event}}; }},
    Field<LogRow>{
        "what", "WHAT", "to what, and why",
        [](const LogRow& r, std::string_view, std::string&) { return Value{std::string_view{r.what}}; }},
};

constexpr std::array kLogFormats{
    NamedFormat{"default", "the usual columns", "{time!d:%F %T::<19} +:{username:<8} +:{event:<5} {what}"},
};

}  // namespace

std::string list_log(const std::vector<request::LoggedEvent>& events, const ListingOptions& options) {
  std::vector<LogRow> rows;
  rows.reserve(events.size());
  for (const request::LoggedEvent& event : events) rows.push_back(row_of(event));
  auto format = arrange<LogRow>(rows, options, "log", kLogFormats, kLogFields);
  if (!options.json) return format.list(rows, options.no_header);
  json list = json::array();
  for (LogRow& row : rows) {
    list.push_back({{"timestamp", row.timestamp}, {"name", row.event}, {"context", std::move(row.context)}});
  }
  return dump_json({{"events", std::move(list)}}) + "\n";
}

std::optional<std::string> log_formats_told(const ListingOptions& options) {
  return told_of_formats<LogRow>(options, "log", kLogFormats, kLogFields);
}

void check_log_listing(const ListingOptions& options) {
  check_arrangement<LogRow>(options, "log", kLogFormats, kLogFields);
}

}  // namespace fq::cli
