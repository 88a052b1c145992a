#include "cli/list/queue_listing.h"

#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/format/format.h"
#include "cli/list/listing.h"
#include "notation/fluid.h"
#include "notation/fsd.h"
#include "priority/account_limits.h"
#include "priority/parameters.h"

namespace fq::cli {

using nlohmann::json;
using request::QueueOverview;
using request::QueueStatus;

namespace {

struct QueueRow {
  const QueueOverview* queue;
  std::string marked;  ///< the name, with a `*` for the default queue
};

std::string_view letter(bool set) {
  return set ? "y" : "n";
}

std::string_view check_mark(bool set) {
  static const bool ascii = notation::prints_ascii();
  if (ascii) return letter(set);
  return set ? "✔" : "✗";
}

// Enabled or started, in words.
std::string_view word(bool set, std::string_view yes, std::string_view no) {
  return set ? yes : no;
}

Value limit(double seconds, std::string& scratch) {
  return Value{std::string_view{scratch = seconds > 0 ? notation::format_fsd(seconds) : "inf"}};
}

Value text(const QueueOverview::Range& range, std::string& scratch) {
  return Value{std::string_view{scratch = fmt::format("{}-{}", range.least, range.most)}};
}

const QueueOverview::Range& range_of(const QueueRow& row, std::string_view member) {
  if (member == "nnodes") return row.queue->nnodes;
  if (member == "ncores") return row.queue->ncores;
  if (member == "ngpus") return row.queue->ngpus;
  throw error(Kind::usage, "limits are of nnodes, ncores or ngpus");
}

priority::AccountLimits association_limits(const QueueRow& row) {
  return priority::decode_limits(row.queue->policy.per_association);
}

Value limit_value(std::int64_t most) {
  return most < 0 ? Value{} : Value{most};
}

double queue_factor(const QueueOverview& queue) {
  const std::string& table = queue.policy.priority;
  if (table.empty()) return priority::Parameters{}.queue_factor;
  return priority::read_parameters(parse_json(table, "priority")).queue_factor;
}

constexpr std::array kQueueFields{
    Field<QueueRow>{"queue", "QUEUE", "name of the queue",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return Value{std::string_view{r.queue->status.queue}};
                    }},
    Field<QueueRow>{
        "queuem", "QUEUE", "the same, * marks the default one",
        [](const QueueRow& r, std::string_view, std::string&) { return Value{std::string_view{r.marked}}; }},
    Field<QueueRow>{"parent", "PARENT", "the queue of which it is another name",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return Value{std::string_view{r.queue->status.parent}};
                    }},
    Field<QueueRow>{"enabled", "EN", "✔ where jobs may be submitted",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return Value{check_mark(r.queue->status.state.enabled)};
                    }},
    Field<QueueRow>{"started", "ST", "✔ where jobs may start",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return Value{check_mark(r.queue->status.state.started)};
                    }},
    Field<QueueRow>{"enabled.ascii", "EN", "y where jobs may be submitted, else n",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return Value{letter(r.queue->status.state.enabled)};
                    }},
    Field<QueueRow>{"started.ascii", "ST", "y where jobs may start, else n",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return Value{letter(r.queue->status.state.started)};
                    }},
    Field<QueueRow>{"submission", "SUBMIT", "enabled or disabled",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return Value{word(r.queue->status.state.enabled, "enabled", "disabled")};
                    }},
    Field<QueueRow>{"scheduling", "SCHED", "started or stopped",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return Value{word(r.queue->status.state.started, "started", "stopped")};
                    }},
    Field<QueueRow>{"defaults.timelimit", "TDEFAULT", "time limit of jobs that name none",
                    [](const QueueRow& r, std::string_view, std::string& scratch) {
                      return limit(r.queue->policy.default_duration_s, scratch);
                    }},
    Field<QueueRow>{"limits.timelimit", "TLIMIT", "longest time limit",
                    [](const QueueRow& r, std::string_view, std::string& scratch) {
                      return limit(r.queue->policy.max_duration_s, scratch);
                    }},
    Field<QueueRow>{"limits.range.nnodes", "NNODES", "nodes that a job may have",
                    [](const QueueRow& r, std::string_view, std::string& scratch) {
                      return text(range_of(r, "nnodes"), scratch);
                    }},
    Field<QueueRow>{"limits.range.ncores", "NCORES", "cores that a job may have",
                    [](const QueueRow& r, std::string_view, std::string& scratch) {
                      return text(range_of(r, "ncores"), scratch);
                    }},
    Field<QueueRow>{"limits.range.ngpus", "NGPUS", "gpus that a job may have",
                    [](const QueueRow& r, std::string_view, std::string& scratch) {
                      return text(range_of(r, "ngpus"), scratch);
                    }},
    Field<QueueRow>{"limits.nnodes.least", "MINNODES",
                    "nodes that the limits ask of a job, whatever there are",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return limit_value(r.queue->policy.min.nnodes);
                    }},
    Field<QueueRow>{"limits.nnodes.most", "MAXNODES", "nodes that the limits allow a job, whatever there are",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return limit_value(r.queue->policy.max.nnodes);
                    }},
    Field<QueueRow>{
        "priority", "PRIORITY", "factor of the queue, under multifactor",
        [](const QueueRow& r, std::string_view, std::string&) { return Value{queue_factor(*r.queue)}; }},
    Field<QueueRow>{"association.running_jobs", "MAXRUN", "most running jobs of a user, in a bank",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return limit_value(association_limits(r).running_jobs);
                    }},
    Field<QueueRow>{"association.nodes", "MAXUSERNODES", "most nodes of a user, in a bank",
                    [](const QueueRow& r, std::string_view, std::string&) {
                      return limit_value(association_limits(r).nodes);
                    }},
    Field<QueueRow>{"limits.min.", "MIN*", "the least of nnodes, ncores or ngpus",
                    [](const QueueRow& r, std::string_view member, std::string&) {
                      return Value{static_cast<std::int64_t>(range_of(r, member).least)};
                    }},
    Field<QueueRow>{"limits.max.", "MAX*", "the most of nnodes, ncores or ngpus",
                    [](const QueueRow& r, std::string_view member, std::string&) {
                      return Value{static_cast<std::int64_t>(range_of(r, member).most)};
                    }},
};

constexpr std::array kQueueFormats{
    NamedFormat{"default", "the usual columns",
                "?+:{queuem:<8} ?+:{parent:<8} {enabled:>2} {started:>2} {defaults.timelimit:>8} "
                "{limits.timelimit:>8} {limits.range.nnodes:>10} {limits.range.ncores:>10} "
                "{limits.range.ngpus:>10}"},
    NamedFormat{"accounts", "limits and priority, as configured",
                "+:{queuem:<5} {limits.nnodes.least:>8} {limits.nnodes.most:>8} {limits.timelimit:>8} "
                "{priority:>8.2f} {association.running_jobs:>6} {association.nodes:>12}"},
};

std::string line(const QueueStatus& status, std::string_view what) {
  return printable(status.queue.empty() ? std::string{what} : fmt::format("{}: {}", status.queue, what)) +
         '\n';
}

json status_object(const QueueStatus& status) {
  const auto& state = status.state;
  json object{{"name", status.queue}, {"enable", state.enabled}, {"start", state.started}};
  if (!state.enabled) object["disable_reason"] = state.disable_reason;
  if (!state.started && !state.stop_reason.empty()) object["stop_reason"] = state.stop_reason;
  if (status.next_try) object["next_try"] = status.next_try->time;
  if (status.asked_for_s) object["asked_for"] = *status.asked_for_s;
  if (status.blocked) object["blocked"] = "parent";
  if (!status.parent.empty()) object["parent"] = status.parent;
  return object;
}

json overview_object(const QueueOverview& queue) {
  const auto seconds = [](double value) { return value > 0 ? json(value) : json(nullptr); };
  json object = status_object(queue.status);
  object["default"] = queue.is_default;
  object["defaults"] = {{"timelimit", seconds(queue.policy.default_duration_s)}};
  object["limits"] = {
      {"timelimit", seconds(queue.policy.max_duration_s)},
      {"min", {{"nnodes", queue.nnodes.least}, {"ncores", queue.ncores.least}, {"ngpus", queue.ngpus.least}}},
      {"max", {{"nnodes", queue.nnodes.most}, {"ncores", queue.ncores.most}, {"ngpus", queue.ngpus.most}}}};
  object["priority"] = queue_factor(queue);
  if (!queue.policy.per_association.empty())
    object["limits"]["per-association"] = parse_json(queue.policy.per_association, "limits");
  object["nnodes"] = queue.resources.nodes;
  object["ncores"] = queue.resources.cores;
  object["ngpus"] = queue.resources.gpus;
  return object;
}

}  // namespace

std::string submission_line(const QueueStatus& status) {
  if (status.state.enabled) return line(status, "Job submission is enabled");
  return line(status, fmt::format("Job submission is disabled: {}", status.state.disable_reason));
}

std::string scheduling_line(const QueueStatus& status) {
  if (status.state.started && status.asked_for_s) {
    return line(status, fmt::format("Scheduling is started, its scheduler has been asked for {}",
                                    notation::format_fsd(std::round(*status.asked_for_s * 1e3) / 1e3)));
  }
  if (status.state.started) return line(status, "Scheduling is started");
  if (status.state.stop_reason.empty()) return line(status, "Scheduling is stopped");
  const std::string next =
      status.next_try
          ? fmt::format(", next try in {}", notation::format_fsd(std::ceil(status.next_try->in_s)))
          : std::string{};
  return line(status, fmt::format("Scheduling is stopped: {}{}", status.state.stop_reason, next));
}

std::string status_lines(const std::vector<QueueStatus>& queues) {
  std::string out;
  for (const QueueStatus& status : queues) out += submission_line(status) + scheduling_line(status);
  return out;
}

std::string status_json(const std::vector<QueueStatus>& queues) {
  json list = json::array();
  for (const QueueStatus& status : queues) list.push_back(status_object(status));
  return dump_json({{"queues", std::move(list)}}) + "\n";
}

std::string vanished_line(const request::VanishedQueue& queue, bool is_loaded) {
  const std::string name = queue.name.empty() ? "the queue without a name" : "queue " + quote(queue.name);
  const std::string_view force =
      is_loaded || queue.pending == 0 ? "" : " (fq config load wants --force for that)";
  return fmt::format("{} {} gone: {} in it, {} running{}", name, is_loaded ? "is" : "would be",
                     counted(queue.pending + queue.running, "job"), queue.running, force);
}

std::string list_queues(const std::vector<QueueOverview>& queues, const ListingOptions& options) {
  std::vector<QueueRow> rows;
  for (const QueueOverview& queue : queues) {
    rows.push_back({&queue, queue.status.queue + (queue.is_default ? "*" : "")});
  }
  auto format = arrange<QueueRow>(rows, options, "queue", kQueueFormats, kQueueFields);
  if (options.json) {
    json list = json::array();
    for (const QueueRow& row : rows) list.push_back(overview_object(*row.queue));
    return dump_json({{"queues", std::move(list)}}) + "\n";
  }
  return format.list(rows, options.no_header);
}

void check_queue_listing(const ListingOptions& options) {
  check_arrangement<QueueRow>(options, "queue", kQueueFormats, kQueueFields);
}

std::optional<std::string> queue_formats_told(const ListingOptions& options) {
  return told_of_formats<QueueRow>(options, "queue", kQueueFormats, kQueueFields);
}

}  // namespace fq::cli
