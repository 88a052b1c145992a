#include "manager/look/select.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "records/job_record.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/pending_order.h"
#include "records/queues.h"
#include "records/store_time.h"

namespace fq::manager {

using store::Family;

namespace {

using Visit = std::function<bool(job::Job&&)>;

bool wants(const JobFilter& filter, job::State state) {
  return filter.states.empty() || filter.states.contains(state);
}

// Job records by id. Pending jobs of a class were mostly submitted one after another, so the record wanted
// next is often the next one: a step is cheaper than a lookup.
class RecordFinder {
 public:
  explicit RecordFinder(const store::Reader& reader) : cursor_(reader.scan(Family::jobs, "", "")) {}

  job::Job find(notation::JobId id) {
    const std::string wanted = records::key::job(id);
    if (cursor_->valid() && cursor_->key() < wanted) cursor_->next();
    if (!cursor_->valid() || cursor_->key() != wanted) cursor_->seek(wanted);
    if (!cursor_->valid() || cursor_->key() != wanted) {
      throw error(Kind::unavailable, "job {} is indexed but has no record", id);
    }
    return records::decode_job(cursor_->value());
  }

 private:
  std::unique_ptr<store::Cursor> cursor_;
};

// The jobs that the index has between two keys, in its order.
std::vector<notation::JobId> indexed_jobs(const store::Reader& reader, const std::string& from,
                                          const std::string& to) {
  std::vector<notation::JobId> ids;
  for (const auto at = reader.scan(Family::index, from, to); at->valid(); at->next()) {
    ids.push_back(records::key::indexed_job(at->key()));
  }
  return ids;
}

bool visit_pending(const store::Reader& reader, const JobFilter& filter, RecordFinder& finder,
                   const Visit& visit) {
  records::Queues queues(reader);
  auto classes = records::read_classes(reader, [&](const records::JobClass& c) {
    return (!filter.userid || *filter.userid == c.userid) &&
           (!filter.queues || filter.queues->contains(c.queue));
  });
  if (classes.empty()) return true;
  records::PendingOrder order(reader, queues, std::move(classes),
                              records::store_time(reader, SystemClock{}).now);
  while (const auto entry = order.next()) {
    job::Job job = finder.find(entry->id);
    job.priority = order.priorities().of(job);
    if (matches(filter, job) && !visit(std::move(job))) return false;
  }
  return true;
}

bool visit_jobs(const JobFilter& filter, const std::vector<notation::JobId>& ids, RecordFinder& finder,
                const Visit& visit) {
  for (const notation::JobId id : ids) {
    job::Job job = finder.find(id);
    if (matches(filter, job) && !visit(std::move(job))) return false;
  }
  return true;
}

bool visit_state(const store::Reader& reader, const JobFilter& filter, job::State state, RecordFinder& finder,
                 const Visit& visit) {
  const std::string prefix = records::key::state_prefix(state);
  return visit_jobs(filter, indexed_jobs(reader, prefix, store::prefix_end(prefix)), finder, visit);
}

// The same, the latest first: mostly a few are asked for of many, so the first ones are looked for alone.
bool visit_latest(const store::Reader& reader, const JobFilter& filter, job::State state,
                  RecordFinder& finder, const Visit& visit) {
  constexpr std::size_t kFirst = 4096;
  const double since = state == job::State::inactive ? filter.since : 0;
  const std::string from = records::key::state(state, since, notation::JobId{0});
  std::vector<std::string> keys = reader.last_keys(Family::index, records::key::state_prefix(state), kFirst);
  const bool is_all = keys.size() < kFirst || keys.back() < from;
  if (since > 0) std::erase_if(keys, [&](const std::string& key) { return key < from; });
  std::vector<notation::JobId> ids;
  ids.reserve(keys.size());
  for (const std::string& key : keys) ids.push_back(records::key::indexed_job(key));
  if (!visit_jobs(filter, ids, finder, visit)) return false;
  if (is_all) return true;
  ids = indexed_jobs(reader, from, keys.back());
  std::reverse(ids.begin(), ids.end());
  return visit_jobs(filter, ids, finder, visit);
}

bool is_placed(const JobFilter& filter, const job::Job& job) {
  if (!filter.ranks.empty() && !notation::Idset::decode(job.ranks).intersects(filter.ranks)) return false;
  return filter.hosts.empty() || !notation::Hostlist::decode(job.nodelist).intersect(filter.hosts).empty();
}

// The queues that are meant, by name. A queue that is gone is one still, as long as it has jobs.
void resolve_queues(const store::Reader& reader, JobFilter& filter) {
  if (!filter.queues && !filter.default_queue) return;
  records::Queues queues(reader);
  if (!filter.queues && !queues.named()) return;
  std::set<std::string> wanted = filter.queues.value_or(std::set{queues.default_queue()});
  std::set<std::string> found;
  for (const std::string& name : wanted) {
    found.insert(name);
    if (const document::QueueConfig* queue = queues.find(name)) {
      found.insert(queue->virtual_queues.begin(), queue->virtual_queues.end());
    } else if (records::read_counts(reader, {std::nullopt, name}).empty()) {
      static_cast<void>(queues.require(name));
    }
  }
  filter.queues = std::move(found);
}

}  // namespace

bool matches(const JobFilter& filter, const job::Job& job) {
  if (filter.userid && job.userid != *filter.userid) return false;
  if (filter.queues && !filter.queues->contains(job.queue)) return false;
  if (!wants(filter, job.state)) return false;
  if (!filter.name.empty() && job.name != filter.name) return false;
  if (!is_placed(filter, job)) return false;
  if (job.state != job::State::inactive) return true;
  if (job.t_inactive < filter.since) return false;
  return filter.results.empty() || filter.results.contains(job::result(job));
}

void visit_jobs(const store::Reader& reader, const JobFilter& wanted, const Visit& visit) {
  std::size_t left = wanted.limit;
  if (left == 0) return;
  JobFilter filter = wanted;
  resolve_queues(reader, filter);
  const Visit counted = [&](job::Job&& job) { return visit(std::move(job)) && --left > 0; };
  RecordFinder finder(reader);
  if (wants(filter, job::State::sched) && !visit_pending(reader, filter, finder, counted)) return;
  struct Part {
    job::State state;
    bool latest_first;
  };
  constexpr Part kParts[] = {{job::State::depend, false},
                             {job::State::run, true},
                             {job::State::cleanup, true},
                             {job::State::inactive, true}};
  for (const Part& part : kParts) {
    if (!wants(filter, part.state)) continue;
    const auto visit_part = part.latest_first ? visit_latest : visit_state;
    if (!visit_part(reader, filter, part.state, finder, counted)) return;
  }
}

std::size_t count_ended(const store::Reader& reader, const JobFilter& filter) {
  JobFilter ended = filter;
  ended.states = {job::State::inactive};
  resolve_queues(reader, ended);
  RecordFinder finder(reader);
  std::size_t count = 0;
  const std::string end = store::prefix_end(records::key::state_prefix(job::State::inactive));
  const std::string from = records::key::state(job::State::inactive, filter.since, notation::JobId{0});
  for (const auto at = reader.scan(Family::index, from, end); at->valid() && count < filter.limit;
       at->next()) {
    if (matches(ended, finder.find(records::key::indexed_job(at->key())))) ++count;
  }
  return count;
}

}  // namespace fq::manager
