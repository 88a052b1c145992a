#include "manager/query.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/dependency.h"
#include "document/resource_set.h"
#include "job/apply.h"
#include "manager/dependants.h"
#include "manager/finish.h"
#include "manager/job_request_token.h"
#include "manager/memo.h"
#include "records/instance.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/queues.h"
#include "records/untold.h"

namespace fq::manager {

using nlohmann::json;
using notation::JobId;
using store::Family;

namespace {

std::string stopped_text(const std::string& queue, const records::QueueState& state) {
  const std::string what = queue.empty() ? "scheduling" : "queue " + quote(queue);
  if (state.stop_reason.empty()) return what + " is stopped";
  return fmt::format("{} is stopped: {}", what, state.stop_reason);
}

// Why no job of a queue starts, whatever the scheduler has said of one before.
class StoppedQueues {
 public:
  explicit StoppedQueues(const store::Reader& reader) : queues_(reader) {}

  // One sentence for the queue and one for its parent, as far as they are stopped. Valid while this is.
  const std::vector<std::string>& reasons(const std::string& queue) {
    const auto [at, is_new] = reasons_.try_emplace(queue);
    if (!is_new) return at->second;
    const document::QueueConfig* config = queues_.find(queue);
    if (config == nullptr) {
      at->second.push_back(queue.empty() ? std::string{"it is in no queue, and queues are configured"}
                                         : fmt::format("queue {} does not exist", quote(queue)));
      return at->second;
    }
    add(at->second, queue);
    if (!config->parent.empty()) add(at->second, config->parent);
    return at->second;
  }

  void apply(ListedJob& listed) {
    if (listed.job.state != job::State::sched) return;
    const std::vector<std::string>& found = reasons(listed.job.queue);
    if (found.empty()) return;
    listed.t_estimate.reset();
    listed.reason_pending = found.front();
  }

  records::Queues& queues() { return queues_; }

 private:
  void add(std::vector<std::string>& reasons, const std::string& queue) {
    const records::QueueState& state = queues_.state(queue);
    if (!state.started) reasons.push_back(stopped_text(queue, state));
  }

  records::Queues queues_;
  std::map<std::string, std::vector<std::string>> reasons_;
};

void add_annotations(const store::Reader& reader, ListedJob& listed) {
  if (listed.job.state != job::State::sched) return;
  const auto text = reader.get(Family::instance, records::key::annotation(listed.job.id));
  if (!text) return;
  const json annotations = parse_json(*text, "annotations");
  const json sched = annotations.value("sched", json::object());
  if (const auto at = sched.find("t_estimate"); at != sched.end() && at->is_number()) listed.t_estimate = *at;
  if (const auto at = sched.find("reason_pending"); at != sched.end() && at->is_string())
    listed.reason_pending = *at;
}

std::string require(const store::Reader& reader, JobId id, const std::string& key, std::string_view what) {
  auto text = reader.get(Family::kvs, key);
  if (!text) throw error(Kind::not_found, "job {} has no {}", id, what);
  return *std::move(text);
}

std::string jobspec_document(const store::Reader& reader, JobId id, JobspecForm form) {
  std::string original = require(reader, id, records::key::jobspec(id), "jobspec");
  if (form == JobspecForm::original) return original;
  const std::string log =
      form == JobspecForm::current ? reader.get(Family::kvs, records::key::eventlog(id)).value_or("") : "";
  json document = job::effective_jobspec(original, log).json();
  if (auto& system = document["attributes"]["system"]; system.is_object()) system.erase("environment");
  return dump_json(document);
}

std::string r_document(const store::Reader& reader, const job::Job& job, JobspecForm form) {
  std::string stored = require(reader, job.id, records::key::r(job.id), "R");
  if (form != JobspecForm::current || !job.expiration_moved) return stored;
  auto r = document::ResourceSet::parse(stored);
  r.expiration = job.expiration;
  return r.encode();
}

job::Job require_job(const store::Reader& reader, JobId id) {
  auto job = records::find_job(reader, id);
  if (!job) throw error(Kind::not_found, "job {} does not exist", id);
  return *std::move(job);
}

std::string clock_text(double t) {
  const auto seconds = static_cast<std::time_t>(t);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[64];
  std::strftime(text, sizeof text, "%F %T", &local);
  return text;
}

std::string dependency_reason(const store::Reader& reader, const job::Job& job,
                              const std::string& description) {
  const document::Dependency dependency = document::parse_description(description);
  if (is_on_a_job(dependency.kind) && records::is_to_be_told(reader, dependency.job, job.id)) {
    const auto on = records::find_job(reader, dependency.job);
    if (on && dependency_state(dependency.kind, *on) != DependencyState::waiting) {
      return fmt::format("those that wait for job {} are being told of it", dependency.job);
    }
  }
  switch (dependency.kind) {
    case document::DependencyKind::begin_time:
      return fmt::format("it may not begin before {}", clock_text(dependency.begin_time));
    case document::DependencyKind::after_start:
      return fmt::format("job {} has not started", dependency.job);
    case document::DependencyKind::after_any:
      return fmt::format("job {} has not ended", dependency.job);
    case document::DependencyKind::after_ok:
      return fmt::format("job {} has not ended with success", dependency.job);
    case document::DependencyKind::after_notok:
      return fmt::format("job {} has not failed", dependency.job);
    case document::DependencyKind::singleton:
      return "another job of that name is active";
  }
  return description;
}

// How many jobs come before this one; counted up to a bound.
struct Place {
  std::size_t before = 0;
  bool at_least = false;
};
// A virtual queue's jobs stand in one order with those of its parent and of the parent's other virtual
// queues.
Place place_in_queue(const store::Reader& reader, records::Queues& queues, const document::QueueConfig& queue,
                     const job::Job& job) {
  constexpr std::size_t kMaxCounted = 100'000;
  const std::string& top = queue.parent.empty() ? queue.name : queue.parent;
  const std::vector<std::string>& virtual_queues = queues.find(top)->virtual_queues;
  const auto admit = [&](const records::JobClass& c) {
    const bool here = c.queue == top || std::find(virtual_queues.begin(), virtual_queues.end(), c.queue) !=
                                            virtual_queues.end();
    return here && c.urgency != job::kUrgencyHold;
  };
  records::PendingOrder order(reader, records::read_classes(reader, admit));
  Place place;
  while (const auto entry = order.next()) {
    if (entry->id == job.id) return place;
    if (++place.before == kMaxCounted) return {place.before, true};
  }
  return place;
}

std::string how_it_ended(const job::Job& job) {
  const job::Exception& exception = job.exception;
  if (exception.occurred) {
    if (exception.note.empty()) return ": " + exception.type;
    // Some notes begin with what they are about.
    return exception.note.starts_with(exception.type + " ")
               ? ": " + exception.note
               : fmt::format(": {}: {}", exception.type, exception.note);
  }
  const int code = job::exit_code(job);
  return code == 0 ? std::string{} : fmt::format(": exit code {}", code);
}

std::vector<std::string> why_pending(const store::Reader& reader, const ListedJob& listed) {
  const job::Job& job = listed.job;
  std::vector<std::string> reasons;
  if (job.urgency == job::kUrgencyHold) reasons.emplace_back("it is held: its urgency is 0");
  StoppedQueues stopped(reader);
  const std::vector<std::string>& blocked = stopped.reasons(job.queue);
  reasons.insert(reasons.end(), blocked.begin(), blocked.end());
  const document::QueueConfig* queue = stopped.queues().find(job.queue);
  if (queue == nullptr) return reasons;
  if (job.urgency != job::kUrgencyHold) {
    const Place place = place_in_queue(reader, stopped.queues(), *queue, job);
    if (place.before > 0) {
      reasons.push_back(fmt::format("{}{} job{} before it in the queue", place.at_least ? "at least " : "",
                                    place.before, place.before == 1 ? " comes" : "s come"));
    } else {
      reasons.emplace_back("it is the next job in the queue");
    }
  }
  if (listed.reason_pending && blocked.empty()) reasons.push_back(*listed.reason_pending);
  if (listed.t_estimate)
    reasons.push_back(fmt::format("it may start about {}", clock_text(*listed.t_estimate)));
  return reasons;
}

}  // namespace

void visit_listed(const store::Reader& reader, const JobFilter& filter,
                  const std::function<bool(ListedJob&&)>& visit) {
  // The scheduler has said something of few jobs only, and users less: where there is nothing, nothing is
  // looked up.
  const bool annotated = reader.scan_prefix(Family::instance, records::key::kAnnotationPrefix)->valid();
  const bool noted = reader.scan_prefix(Family::instance, records::key::kMemoPrefix)->valid();
  StoppedQueues stopped(reader);
  visit_jobs(reader, filter, [&](job::Job&& job) {
    ListedJob listed{std::move(job), std::nullopt, std::nullopt};
    if (annotated) add_annotations(reader, listed);
    stopped.apply(listed);
    if (noted) listed.job.memo = full_memo(reader, listed.job);
    return visit(std::move(listed));
  });
}

std::vector<ListedJob> list_jobs(const store::Reader& reader, const JobFilter& filter) {
  std::vector<ListedJob> jobs;
  visit_listed(reader, filter, [&](ListedJob&& listed) {
    jobs.push_back(std::move(listed));
    return true;
  });
  return jobs;
}

ListedJob find_listed(const store::Reader& reader, JobId id) {
  ListedJob listed{require_job(reader, id), std::nullopt, std::nullopt};
  add_annotations(reader, listed);
  StoppedQueues(reader).apply(listed);
  listed.job.memo = full_memo(reader, listed.job);
  return listed;
}

std::vector<JobId> last_jobs(const store::Reader& reader, std::uint32_t userid, std::size_t count) {
  std::vector<JobId> ids;
  for (const std::string& key : reader.last_keys(Family::index, records::key::user_prefix(userid), count)) {
    ids.push_back(records::key::indexed_job(key));
  }
  return ids;
}

std::string job_document(const store::Reader& reader, const exec::JobFiles& files, JobId id,
                         std::string_view key, JobspecForm form) {
  const job::Job job = require_job(reader, id);
  if (key == "jobspec") return jobspec_document(reader, id, form);
  if (key == "R") return r_document(reader, job, form);
  if (key == "eventlog") return require(reader, id, records::key::eventlog(id), key);
  if (key == "J") {
    return unsigned_request(require(reader, id, records::key::jobspec(id), "jobspec"), job.userid);
  }
  constexpr std::string_view kGuest = "guest.";
  constexpr std::string_view kData = "data.";
  if (key.starts_with(kGuest)) {
    auto text = read_guest(reader, files, id, key.substr(kGuest.size()));
    if (!text) throw error(Kind::not_found, "job {} has no {}", id, key);
    return *std::move(text);
  }
  if (key.starts_with(kData))
    return require(reader, id, records::key::data(id, key.substr(kData.size())), key);
  throw Error{Kind::not_found, fmt::format("job {} has no {}", id, key),
              "J, jobspec, R, eventlog, guest.NAME, data.SERVICE"};
}

std::vector<std::string> why(const store::Reader& reader, JobId id) {
  const ListedJob listed = find_listed(reader, id);
  const job::Job& job = listed.job;
  std::vector<std::string> reasons;
  switch (job.state) {
    case job::State::fresh:
    case job::State::priority:
    case job::State::depend:
      for (const std::string& description : job.dependencies)
        reasons.push_back(dependency_reason(reader, job, description));
      break;
    case job::State::sched:
      return why_pending(reader, listed);
    case job::State::run:
      reasons.push_back(fmt::format("it runs on {} since {}", job.nodelist, clock_text(job.t_run)));
      break;
    case job::State::cleanup:
      reasons.push_back(fmt::format("it is being cleaned up since {}", clock_text(job.t_cleanup)));
      break;
    case job::State::inactive: {
      reasons.push_back(fmt::format("it ended as {} at {}{}", job::status(job), clock_text(job.t_inactive),
                                    how_it_ended(job)));
      break;
    }
  }
  return reasons;
}

}  // namespace fq::manager
