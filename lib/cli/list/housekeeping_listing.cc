#include "cli/list/housekeeping_listing.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/format/format.h"
#include "cli/list/listing.h"

namespace fq::cli {

using nlohmann::json;

namespace {

struct HousekeepingRow {
  request::RunningHousekeeping of;
  double runtime = 0;
};

constexpr std::array kHousekeepingFields{
    Field<HousekeepingRow>{"id", "JOBID", "the job that had the nodes",
                           [](const HousekeepingRow& r, std::string_view, std::string& scratch) {
                             return Value{std::string_view{scratch = notation::to_f58(r.of.job)}};
                           }},
    Field<HousekeepingRow>{
        "userid", "UID", "whose the job was",
        [](const HousekeepingRow& r, std::string_view, std::string&) { return integer(r.of.userid); }},
    Field<HousekeepingRow>{
        "nnodes", "NNODES", "how many nodes",
        [](const HousekeepingRow& r, std::string_view, std::string&) { return integer(r.of.ranks.count()); }},
    Field<HousekeepingRow>{"ranks", "RANKS", "their ranks",
                           [](const HousekeepingRow& r, std::string_view, std::string& scratch) {
                             return Value{std::string_view{scratch = r.of.ranks.encode()}};
                           }},
    Field<HousekeepingRow>{"nodelist", "NODELIST", "their names",
                           [](const HousekeepingRow& r, std::string_view, std::string&) {
                             return Value{std::string_view{r.of.nodelist}};
                           }},
    Field<HousekeepingRow>{
        "t_start", "T_START", "when it began",
        [](const HousekeepingRow& r, std::string_view, std::string&) { return Value{r.of.t_start}; }},
    Field<HousekeepingRow>{
        "runtime", "T_RUN", "for how long it is run",
        [](const HousekeepingRow& r, std::string_view, std::string&) { return Value{r.runtime}; }},
    Field<HousekeepingRow>{
        "attempt", "ATTEMPT", "how often it was begun",
        [](const HousekeepingRow& r, std::string_view, std::string&) { return integer(r.of.attempt); }},
    Field<HousekeepingRow>{"command", "COMMAND", "what is run",
                           [](const HousekeepingRow& r, std::string_view, std::string&) {
                             return Value{std::string_view{r.of.command}};
                           }},
};

constexpr std::array kHousekeepingFormats{
    NamedFormat{"default", "the usual columns",
                "{id:>12} {nnodes:>6} {runtime!F:>8} {nodelist:<8} {command}"},
};

}  // namespace

std::string list_housekeeping(const std::vector<request::RunningHousekeeping>& all, double now,
                              const ListingOptions& options) {
  std::vector<HousekeepingRow> rows;
  for (const request::RunningHousekeeping& each : all)
    rows.push_back({each, std::max(now - each.t_start, 0.0)});
  auto format =
      arrange<HousekeepingRow>(rows, options, "housekeeping", kHousekeepingFormats, kHousekeepingFields);
  if (!options.json) return format.list(rows, options.no_header);
  json list = json::array();
  for (const HousekeepingRow& row : rows) {
    list.push_back({{"id", row.of.job.value},
                    {"userid", row.of.userid},
                    {"t_start", row.of.t_start},
                    {"ranks", row.of.ranks.encode()},
                    {"nodelist", row.of.nodelist},
                    {"attempt", row.of.attempt},
                    {"command", row.of.command}});
  }
  return dump_json({{"running", std::move(list)}}) + "\n";
}

std::optional<std::string> housekeeping_formats_told(const ListingOptions& options) {
  return told_of_formats<HousekeepingRow>(options, "housekeeping", kHousekeepingFormats, kHousekeepingFields);
}

void check_housekeeping_listing(const ListingOptions& options) {
  check_arrangement<HousekeepingRow>(options, "housekeeping", kHousekeepingFormats, kHousekeepingFields);
}

}  // namespace fq::cli
