#include "cli/list/priority_listing.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/format/format.h"
#include "cli/jobs/job_text.h"
#include "cli/list/listing.h"
#include "notation/fluid.h"
#include "notation/fsd.h"
#include "priority/documents.h"

namespace fq::cli {

using nlohmann::json;
using request::PriorityRow;

namespace {

constexpr std::string_view kListing = "priority";

// `1000×0.25=250`; nothing where the factor weighs nothing.
template <std::size_t Factor>
Value breakdown(const PriorityRow& row, std::string_view, std::string& scratch) {
  constexpr auto member = priority::kFactorNames[Factor].member;
  const double weight = row.explanation.weights.*member;
  if (weight == 0) return {};
  static const bool ascii = notation::prints_ascii();
  return Value{std::string_view{scratch = fmt::format("{:g}{}{:.3f}={:.0f}", weight, ascii ? "*" : "×",
                                                      row.explanation.factors.*member,
                                                      row.explanation.points.*member)}};
}

constexpr std::array kPriorityFields{
    Field<PriorityRow>{"id", "JOBID", "job id, base 58",
                       [](const PriorityRow& r, std::string_view, std::string& scratch) {
                         return Value{std::string_view{scratch = fmt::format("{}", r.job.id)}};
                       }},
    Field<PriorityRow>{"username", "USER", "name of the user",
                       [](const PriorityRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{user_name(r.job.userid)}};
                       }},
    Field<PriorityRow>{"queue", "QUEUE", "queue",
                       [](const PriorityRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{r.job.queue}};
                       }},
    Field<PriorityRow>{"bank", "BANK", "bank that is charged",
                       [](const PriorityRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{r.job.bank}};
                       }},
    Field<PriorityRow>{"qos", "QOS", "quality of service",
                       [](const PriorityRow& r, std::string_view, std::string&) {
                         return Value{std::string_view{r.job.qos}};
                       }},
    Field<PriorityRow>{
        "urgency", "URG", "urgency, 0 to 31",
        [](const PriorityRow& r, std::string_view, std::string&) { return integer(r.job.urgency); }},
    Field<PriorityRow>{"scheme", "SCHEME", "none, fcfs or multifactor",
                       [](const PriorityRow& r, std::string_view, std::string&) {
                         return Value{name_of(r.explanation.scheme)};
                       }},
    Field<PriorityRow>{"place", "PLACE", "place in the queue, 1 the next",
                       [](const PriorityRow& r, std::string_view, std::string&) {
                         return r.place == 0 ? Value{} : integer(r.place);
                       }},
    Field<PriorityRow>{
        "priority", "PRIORITY", "priority now",
        [](const PriorityRow& r, std::string_view, std::string&) { return integer(r.explanation.priority); }},
    Field<PriorityRow>{"wait_time", "WAIT", "points of the wait: weight × factor", breakdown<0>},
    Field<PriorityRow>{"fair_share", "FAIRSHARE", "points of the fair-share", breakdown<1>},
    Field<PriorityRow>{"qos_points", "QOS", "points of the quality of service", breakdown<2>},
    Field<PriorityRow>{"queue_points", "QUEUE", "points of the queue", breakdown<3>},
    Field<PriorityRow>{"job_size", "SIZE", "points of the job size", breakdown<4>},
    Field<PriorityRow>{"user", "USER", "points of the user's urgency", breakdown<5>},
};

constexpr std::array kPriorityFormats{
    NamedFormat{"default", "what each factor adds",
                "{id:>10} ?+:{username:<4} ?+:{queue:<5} {place:>5} {priority:>10} ?+:{wait_time:>4} "
                "?+:{fair_share:>9} ?+:{qos_points:>3} ?+:{queue_points:>5} ?+:{job_size:>4} ?+:{user:>4}"},
};

std::span<const Field<PriorityRow>> priority_fields() {
  return kPriorityFields;
}

std::string weight_number(double value) {
  return fmt::format("{:g}", value);
}

json object_of(const PriorityRow& row) {
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

std::string list_priorities(const std::vector<PriorityRow>& rows, const ListingOptions& options) {
  std::vector<PriorityRow> sorted = rows;
  Format<PriorityRow> format = arrange(sorted, options, kListing, kPriorityFormats, priority_fields());
  if (options.json) {
    json jobs = json::array();
    for (const PriorityRow& row : sorted) jobs.push_back(object_of(row));
    return dump_json({{"jobs", jobs}}) + '\n';
  }
  return format.list(sorted, options.no_header);
}

std::optional<std::string> priority_formats_told(const ListingOptions& options) {
  return told_of_formats(options, kListing, kPriorityFormats, priority_fields());
}

void check_priority_listing(const ListingOptions& options) {
  check_arrangement(options, kListing, kPriorityFormats, priority_fields());
}

std::string weight_lines(const std::vector<request::QueuePriority>& queues) {
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
      out += fmt::format(" {:>10}", weight_number(parameters.weights.*each.member));
    out += fmt::format(" {:>10}\n", notation::format_fsd(parameters.max_wait_s));
  }
  return out;
}

std::string weight_json(const std::vector<request::QueuePriority>& queues) {
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

std::string supposed_lines(const std::vector<request::SupposedRow>& rows) {
  std::string out = fmt::format("{:>12} {:<8} {:<8} {:>5} {:>5} {:>10} {:>10}\n", "JOBID", "USER", "QUEUE",
                                "PLACE", "THEN", "PRIORITY", "THEN");
  for (const request::SupposedRow& row : rows) {
    out += fmt::format("{:>12} {:<8} {:<8} {:>5} {:>5} {:>10} {:>10}\n", fmt::format("{}", row.now.job.id),
                       printable(user_name(row.now.job.userid)), printable(row.now.job.queue), row.now.place,
                       row.then.place, row.now.explanation.priority, row.then.explanation.priority);
  }
  return out;
}

std::string supposed_json(const std::vector<request::SupposedRow>& rows) {
  json jobs = json::array();
  for (const request::SupposedRow& row : rows)
    jobs.push_back({{"now", object_of(row.now)}, {"then", object_of(row.then)}});
  return dump_json({{"jobs", jobs}}) + '\n';
}

}  // namespace fq::cli
