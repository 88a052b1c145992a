#include "cli/queue_listing.h"

#include <array>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/format.h"
#include "cli/listing.h"
#include "document/resource_set.h"
#include "notation/fluid.h"

namespace fq::cli {
namespace {

// The anonymous queue has no limits of its own: what there is, is what a job may ask for.
struct QueueRow {
  std::string queue;
  bool enabled = true;
  bool started = true;
  std::uint64_t nnodes = 0, ncores = 0, ngpus = 0;
};

std::string range(std::uint64_t most) {
  return fmt::format("0-{}", most);
}

std::string_view check_mark(bool set) {
  static const bool ascii = notation::prints_ascii();
  if (ascii) return set ? "y" : "n";
  return set ? "✔" : "✗";
}

constexpr std::array kQueueFields{
    Field<QueueRow>{
        "queue", "QUEUE", "name of the queue",
        [](const QueueRow& r, std::string_view, std::string&) { return Value{std::string_view{r.queue}}; }},
    Field<QueueRow>{
        "enabled", "EN", "✔ where jobs may be submitted",
        [](const QueueRow& r, std::string_view, std::string&) { return Value{check_mark(r.enabled)}; }},
    Field<QueueRow>{
        "started", "ST", "✔ where jobs may start",
        [](const QueueRow& r, std::string_view, std::string&) { return Value{check_mark(r.started)}; }},
    Field<QueueRow>{
        "defaults.timelimit", "TDEFAULT", "time limit of jobs that name none",
        [](const QueueRow&, std::string_view, std::string&) { return Value{std::string_view{"inf"}}; }},
    Field<QueueRow>{
        "limits.timelimit", "TLIMIT", "longest time limit",
        [](const QueueRow&, std::string_view, std::string&) { return Value{std::string_view{"inf"}}; }},
    Field<QueueRow>{"limits.range.nnodes", "NNODES", "nodes that a job may have",
                    [](const QueueRow& r, std::string_view, std::string& scratch) {
                      return Value{std::string_view{scratch = range(r.nnodes)}};
                    }},
    Field<QueueRow>{"limits.range.ncores", "NCORES", "cores that a job may have",
                    [](const QueueRow& r, std::string_view, std::string& scratch) {
                      return Value{std::string_view{scratch = range(r.ncores)}};
                    }},
    Field<QueueRow>{"limits.range.ngpus", "NGPUS", "gpus that a job may have",
                    [](const QueueRow& r, std::string_view, std::string& scratch) {
                      return Value{std::string_view{scratch = range(r.ngpus)}};
                    }},
};

constexpr std::array kQueueFormats{
    NamedFormat{"default", "the usual columns",
                "?:{queue:<8.8} {enabled:>2} {started:>2} {defaults.timelimit:>8} {limits.timelimit:>8} "
                "{limits.range.nnodes:>10} {limits.range.ncores:>10} {limits.range.ngpus:>10}"},
};

std::string line(std::string_view queue, std::string_view what) {
  return queue.empty() ? fmt::format("{}\n", what) : fmt::format("{}: {}\n", queue, what);
}

void require_queue(std::string_view queue) {
  if (!queue.empty()) {
    throw error(Kind::not_found, "queue {} does not exist: no queues are configured", quote(queue));
  }
}

}  // namespace

std::string submission_line(std::string_view queue, const records::QueueState& state) {
  if (state.enabled) return line(queue, "Job submission is enabled");
  return line(queue, fmt::format("Job submission is disabled: {}", state.disable_reason));
}

std::string scheduling_line(std::string_view queue, const records::QueueState& state) {
  if (state.started) return line(queue, "Scheduling is started");
  if (state.stop_reason.empty()) return line(queue, "Scheduling is stopped");
  return line(queue, fmt::format("Scheduling is stopped: {}", state.stop_reason));
}

std::string queue_status(const store::Reader& reader, std::string_view queue, bool verbose) {
  require_queue(queue);
  const records::QueueState state = records::read_queue_state(reader, queue);
  std::string out = submission_line(queue, state) + scheduling_line(queue, state);
  if (!verbose) return out;
  auto counts = records::read_counts(reader, {});
  out += fmt::format("{} alloc requests queued\n", counts["S"]);
  out += fmt::format("{} running jobs\n", counts["R"] + counts["C"]);
  return out;
}

std::string list_queues(const store::Reader& reader, const ListingOptions& options) {
  const records::QueueState state = records::read_queue_state(reader, "");
  const auto inventory = document::ResourceSet::parse(records::read_inventory(reader));
  const QueueRow anonymous{
      "", state.enabled, state.started, inventory.nnodes(), inventory.ncores(), inventory.ngpus()};
  std::vector<QueueRow> rows{anonymous};
  auto format = arrange<QueueRow>(rows, options, kQueueFormats, kQueueFields);
  if (options.json) {
    nlohmann::json queue{{"name", anonymous.queue},      {"enabled", anonymous.enabled},
                         {"started", anonymous.started}, {"nnodes", anonymous.nnodes},
                         {"ncores", anonymous.ncores},   {"ngpus", anonymous.ngpus}};
    return dump_json({{"queues", nlohmann::json::array({std::move(queue)})}}) + "\n";
  }
  return format.list(rows, options.no_header);
}

std::string queue_format_help() {
  return format_help(kQueueFormats, field_names(std::span<const Field<QueueRow>>(kQueueFields)));
}

}  // namespace fq::cli
