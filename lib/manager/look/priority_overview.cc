#include "manager/look/priority_overview.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "manager/core/hidden_jobs.h"
#include "manager/look/query.h"
#include "manager/site/configure.h"
#include "priority/documents.h"
#include "records/job_table.h"
#include "records/pending_order.h"
#include "records/priority_facts.h"
#include "records/store_time.h"

namespace fq::manager {

using notation::JobId;

namespace {

/// So many jobs are looked at to find the places of some.
constexpr std::size_t kMostPassed = 100'000;

double time_in(const store::Reader& reader, const Session& session) {
  return records::store_time(reader, *session.clock).now;
}

records::PendingOrder order_of_all(const store::Reader& reader, const Session& session,
                                   records::Queues& queues) {
  return {reader, queues, records::read_classes(reader, [](const records::JobClass&) { return true; }),
          time_in(reader, session)};
}

// Counts jobs as they come in their order.
class Places {
 public:
  explicit Places(records::Queues& queues) : queues_(queues) {}
  std::size_t next(const records::JobClass& c) {
    return priority::is_held(c.urgency) ? 0 : ++counts_[queues_.served_by(c.queue)];
  }

 private:
  records::Queues& queues_;
  std::map<std::string, std::size_t> counts_;
};

std::vector<PriorityRow> rows_of(const store::Reader& reader, const Session& session, Rights& rights,
                                 records::Queues& queues, const std::vector<JobId>& ids) {
  std::vector<PriorityRow> rows;
  std::map<JobId, PriorityRow*> wanted;
  records::PendingOrder order = order_of_all(reader, session, queues);
  rows.reserve(ids.size());
  for (const JobId id : ids) {
    job::Job job = rights.require_job(id);
    hide_jobs_in(rights, job);
    if (job.state != job::State::sched)
      throw error(Kind::refused, "job {} does not wait for resources: it is in state {}", id,
                  job::name(job.state));
    rows.push_back({job, order.priorities().explain(job), 0});
    rows.back().job.priority = rows.back().explanation.priority;
    wanted[id] = &rows.back();
  }
  Places places(queues);
  for (std::size_t counted = 0; !wanted.empty() && counted < kMostPassed; ++counted) {
    const auto entry = order.next();
    if (!entry) break;
    const std::size_t place = places.next(*entry->job_class);
    const auto found = wanted.extract(entry->id);
    if (!found.empty()) found.mapped()->place = place;
  }
  return rows;
}

// What a decorator says of some queues instead of the configuration.
class SupposedFacts final : public priority::Facts {
 public:
  /// With `configured` of each queue by its name, and the weights over that.
  SupposedFacts(records::PriorityFacts& facts, std::map<std::string, priority::Parameters> configured,
                nlohmann::json weights)
      : facts_(facts), configured_(std::move(configured)), weights_(std::move(weights)) {}

  const priority::Parameters& parameters(std::string_view queue) override {
    const auto known = parameters_.find(queue);
    if (known != parameters_.end()) return known->second;
    const auto found = configured_.find(std::string{queue});
    priority::Parameters then = found == configured_.end() ? facts_.parameters(queue) : found->second;
    if (!weights_.empty()) {
      then.scheme = priority::Scheme::multifactor;
      then.weights = priority::read_weights(JsonAt{weights_, {}}, then.weights);
    }
    return parameters_.emplace(queue, std::move(then)).first->second;
  }
  double qos_factor(std::string_view qos) override { return facts_.qos_factor(qos); }
  double fair_share(std::uint32_t userid, std::string_view bank) override {
    return facts_.fair_share(userid, bank);
  }
  const priority::Machine& machine() override { return facts_.machine(); }

 private:
  records::PriorityFacts& facts_;
  std::map<std::string, priority::Parameters> configured_;
  nlohmann::json weights_;
  std::map<std::string, priority::Parameters, std::less<>> parameters_;
};

std::vector<PriorityRow> rows_of(const store::Reader& reader, const Session& session,
                                 const PriorityRequest& request) {
  records::Queues queues(reader);
  Rights rights(reader, session.caller);
  if (!request.ids.empty()) return rows_of(reader, session, rights, queues, request.ids);
  if (request.queues) {
    for (const std::string& name : *request.queues) static_cast<void>(queues.require(name));
  }
  std::vector<PriorityRow> rows;
  records::PendingOrder order = order_of_all(reader, session, queues);
  Places places(queues);
  while (rows.size() < request.most) {
    const auto entry = order.next();
    if (!entry) break;
    const std::size_t place = places.next(*entry->job_class);
    if (request.queues && !request.queues->contains(entry->job_class->queue)) continue;
    if (!rights.sees(entry->job_class->userid)) continue;
    const auto job = records::find_job(reader, entry->id);
    if (!job) throw error(Kind::unavailable, "job {} is indexed but has no record", entry->id);
    rows.push_back({*job, order.priorities().explain(*job), place});
    rows.back().job.priority = rows.back().explanation.priority;
  }
  return rows;
}

}  // namespace

std::vector<PriorityRow> priority_rows(const Session& session, const PriorityRequest& request) {
  std::vector<PriorityRow> rows;
  query_repaired(session, [&](const store::Reader& reader) { rows = rows_of(reader, session, request); });
  return rows;
}

std::vector<QueuePriority> queue_priorities(const Session& session, const std::optional<std::string>& queue) {
  std::vector<QueuePriority> list;
  query(session, [&](const store::Reader& reader) {
    list.clear();
    records::Queues queues(reader);
    for (const std::string& name : queue ? std::vector<std::string>{*queue} : queues.names())
      list.push_back({name, records::priority_parameters(queues.require(name).policy)});
  });
  return list;
}

namespace {

std::vector<SupposedRow> read_supposed(const store::Reader& reader, const Session& session,
                                       const SupposeRequest& request) {
  std::map<std::string, priority::Parameters> configured;
  if (!request.config.empty()) {
    const document::ConfigSource source(request.config);
    for (const document::QueueConfig& queue : check_config(source, request.nodes, reader).queues)
      configured[queue.name] = records::priority_parameters(queue.policy);
  }
  records::Queues queues(reader);
  records::PendingOrder order = order_of_all(reader, session, queues);
  SupposedFacts supposed(order.priorities().facts(), std::move(configured),
                         parse_json(request.weights, "weights"));
  priority::Evaluator evaluator(supposed, time_in(reader, session));
  struct Entry {
    SupposedRow row;
    std::uint16_t tier;
    std::uint64_t time;
  };
  std::vector<Entry> entries;
  Places places(queues);
  while (const auto entry = order.next()) {
    const std::size_t place = places.next(*entry->job_class);
    if (place == 0) continue;
    const auto job = records::find_job(reader, entry->id);
    if (!job) throw error(Kind::unavailable, "job {} is indexed but has no record", entry->id);
    const auto* scheduling = queues.scheduling(job->queue);
    Entry one{{{*job, order.priorities().explain(*job), place}, {*job, {}, 0}},
              scheduling == nullptr ? std::uint16_t{0} : scheduling->tier,
              entry->time};
    one.row.then.explanation =
        evaluator.explain({job->queue, job->bank, job->qos, job->userid, job->urgency, &job->counts,
                           static_cast<double>(entry->time) * 1e-6, job->number});
    entries.push_back(std::move(one));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    const std::uint32_t x = a.row.then.explanation.priority, y = b.row.then.explanation.priority;
    return std::tuple{b.tier, y, a.time, a.row.now.job.id} < std::tuple{a.tier, x, b.time, b.row.now.job.id};
  });
  std::vector<SupposedRow> rows;
  Rights rights(reader, session.caller);
  std::map<std::string, std::size_t> counts;
  for (Entry& each : entries) {
    each.row.then.place = ++counts[queues.served_by(each.row.now.job.queue)];
    if (!rights.sees(each.row.now.job.userid)) continue;
    rows.push_back(std::move(each.row));
  }
  return rows;
}

}  // namespace

std::vector<SupposedRow> suppose(const Session& session, const SupposeRequest& request) {
  std::vector<SupposedRow> rows;
  query_repaired(session,
                 [&](const store::Reader& reader) { rows = read_supposed(reader, session, request); });
  return rows;
}

std::string breakdown_annotation(const priority::Explanation& explanation) {
  if (explanation.scheme != priority::Scheme::multifactor) return {};
  nlohmann::json points = priority::to_json(explanation.points);
  points["sum"] = priority::sum(explanation.points);
  return dump_json({{"priority", points}});
}

}  // namespace fq::manager
