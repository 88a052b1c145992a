#include "cli/priority_listing.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/format.h"
#include "cli/job_text.h"
#include "cli/listing.h"
#include "notation/fluid.h"
#include "notation/fsd.h"
#include "priority/documents.h"

namespace fq::cli {

using manager::PriorityRow;
using nlohmann::json;

namespace {

constexpr std::string_view kListing = "priority";

using Row = PriorityRow;

// `1000×0.25=250`; nothing where the factor weighs nothing.
template <std::size_t Factor>
Value breakdown(const Row& row, std::string_view, std::string& scratch) {
  constexpr auto member = priority::kFactorNames[Factor].member;
  const double weight = row.explanation.weights.*member;
  if (weight == 0) return {};
  static const bool ascii = notation::prints_ascii();
  return Value{std::string_view{scratch = fmt::format("{:g}{}{:.3f}={:.0f}", weight, ascii ? "*" : "×",
                                                      row.explanation.factors.*member,
                                                      row.explanation.points.*member)}};
}

constexpr std::array kFields{
    Field<Row>{"id", "JOBID", "job id, base 58",
               [](const Row& r, std::string_view, std::string& scratch) {
                 return Value{std::string_view{scratch = fmt::format("{}", r.job.id)}};
               }},
    Field<Row>{"username", "USER", "name of the user",
               [](const Row& r, std::string_view, std::string&) {
                 return Value{std::string_view{user_name(r.job.userid)}};
               }},
    Field<Row>{
        "queue", "QUEUE", "queue",
        [](const Row& r, std::string_view, std::string&) { return Value{std::string_view{r.job.queue}}; }},
    Field<Row>{
        "bank", "BANK", "bank that is charged",
        [](const Row& r, std::string_view, std::string&) { return Value{std::string_view{r.job.bank}}; }},
    Field<Row>{
        "qos", "QOS", "quality of service",
        [](const Row& r, std::string_view, std::string&) { return Value{std::string_view{r.job.qos}}; }},
    Field<Row>{"urgency", "URG", "urgency, 0 to 31",
               [](const Row& r, std::string_view, std::string&) { return integer(r.job.urgency); }},
    Field<Row>{
        "scheme", "SCHEME", "none, fcfs or multifactor",
        [](const Row& r, std::string_view, std::string&) { return Value{name_of(r.explanation.scheme)}; }},
    Field<Row>{"place", "PLACE", "place in the queue, 1 the next",
               [](const Row& r, std::string_view, std::string&) {
                 return r.place == 0 ? Value{} : integer(r.place);
               }},
    Field<Row>{"priority", "PRIORITY", "priority now",
               [](const Row& r, std::string_view, std::string&) { return integer(r.explanation.priority); }},
    Field<Row>{"wait_time", "WAIT", "points of the wait: weight × factor", breakdown<0>},
    Field<Row>{"fair_share", "FAIRSHARE", "points of the fair-share", breakdown<1>},
    Field<Row>{"qos_points", "QOS", "points of the quality of service", breakdown<2>},
    Field<Row>{"queue_points", "QUEUE", "points of the queue", breakdown<3>},
    Field<Row>{"job_size", "SIZE", "points of the job size", breakdown<4>},
    Field<Row>{"user", "USER", "points of the user's urgency", breakdown<5>},
};

constexpr std::array kFormats{
    NamedFormat{"default", "what each factor adds",
                "{id:>10} ?+:{username:<4} ?+:{queue:<5} {place:>5} {priority:>10} ?+:{wait_time:>4} "
                "?+:{fair_share:>9} ?+:{qos_points:>3} ?+:{queue_points:>5} ?+:{job_size:>4} ?+:{user:>4}"},
};

std::span<const Field<Row>> fields() {
  return kFields;
}

std::string number(double value) {
  return fmt::format("{:g}", value);
}

json object_of(const Row& row) {
  json object{{"id", row.job.id.value},
              {"f58", notation::to_f58(row.job.id)},
              {"userid", row.job.userid},
              {"username", user_name(row.job.userid)},
              {"queue", row.job.queue},
              {"bank", row.job.bank},
              {"qos", row.job.qos},
              {"urgency", row.job.urgency},
              {"scheme", name_of(row.explanation.scheme)},
              {"priority", row.explanation.priority}};
  if (row.place > 0) object["place"] = row.place;
  if (row.explanation.scheme == priority::Scheme::multifactor) {
    object["factors"] = priority::to_json(row.explanation.factors);
    object["weights"] = priority::to_json(row.explanation.weights);
    object["points"] = priority::to_json(row.explanation.points);
    object["sum"] = priority::sum(row.explanation.points);
  }
  return object;
}

}  // namespace

std::string list_priorities(const std::vector<Row>& rows, const ListingOptions& options) {
  std::vector<Row> sorted = rows;
  Format<Row> format = arrange(sorted, options, kListing, kFormats, fields());
  if (options.json) {
    json jobs = json::array();
    for (const Row& row : sorted) jobs.push_back(object_of(row));
    return dump_json({{"jobs", jobs}}) + '\n';
  }
  return format.list(sorted, options.no_header);
}

std::string priority_format_help() {
  return listing_help(kListing, kFormats, fields());
}

void check_priority_listing(const ListingOptions& options) {
  check_arrangement(options, kListing, kFormats, fields());
}

std::string weight_lines(const std::vector<manager::QueuePriority>& queues) {
  std::size_t width = 5;
  for (const auto& each : queues) width = std::max(width, each.queue.size());
  std::string out = fmt::format("{:<{}} {:<11}", "QUEUE", width, "SCHEME");
  for (const priority::FactorName& each : priority::kFactorNames) out += fmt::format(" {:>10}", each.name);
  out += fmt::format(" {:>10}\n", "max-wait");
  for (const auto& [queue, parameters] : queues) {
    out += fmt::format("{:<{}} ", printable(queue), width);
    if (parameters.scheme != priority::Scheme::multifactor) {
      out += fmt::format("{}\n", name_of(parameters.scheme));
      continue;
    }
    out += fmt::format("{:<11}", name_of(parameters.scheme));
    for (const priority::FactorName& each : priority::kFactorNames)
      out += fmt::format(" {:>10}", number(parameters.weights.*each.member));
    out += fmt::format(" {:>10}\n", notation::format_fsd(parameters.max_wait_s));
  }
  return out;
}

std::string weight_json(const std::vector<manager::QueuePriority>& queues) {
  json list = json::array();
  for (const auto& [queue, parameters] : queues) {
    json object{{"queue", queue}, {"scheme", name_of(parameters.scheme)}};
    if (parameters.scheme == priority::Scheme::multifactor) {
      object["weights"] = priority::to_json(parameters.weights);
      object["max_wait"] = parameters.max_wait_s;
      object["queue_factor"] = parameters.queue_factor;
      object["favor"] = parameters.favor == priority::Favor::large ? "large" : "small";
      object["age_from"] = parameters.age_from == priority::AgeFrom::submit ? "submit" : "eligible";
    }
    list.push_back(object);
  }
  return dump_json({{"queues", list}}) + '\n';
}

std::string supposed_lines(const std::vector<manager::SupposedRow>& rows) {
  std::string out = fmt::format("{:>12} {:<8} {:<8} {:>5} {:>5} {:>10} {:>10}\n", "JOBID", "USER", "QUEUE",
                                "PLACE", "THEN", "PRIORITY", "THEN");
  for (const manager::SupposedRow& row : rows) {
    out += fmt::format("{:>12} {:<8} {:<8} {:>5} {:>5} {:>10} {:>10}\n", fmt::format("{}", row.now.job.id),
                       printable(user_name(row.now.job.userid)), printable(row.now.job.queue), row.now.place,
                       row.then.place, row.now.explanation.priority, row.then.explanation.priority);
  }
  return out;
}

std::string supposed_json(const std::vector<manager::SupposedRow>& rows) {
  json jobs = json::array();
  for (const manager::SupposedRow& row : rows)
    jobs.push_back({{"now", object_of(row.now)}, {"then", object_of(row.then)}});
  return dump_json({{"jobs", jobs}}) + '\n';
}

}  // namespace fq::cli
