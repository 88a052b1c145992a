#include "manager/core/dependants.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "job/events.h"
#include "manager/core/post.h"
#include "records/dependant_notice.h"
#include "records/keys.h"
#include "records/purged.h"

namespace fq::manager {

using document::DependencyKind;
using store::Family;
namespace events = job::events;

namespace {

// Dependants are looked up so many at a time.
constexpr std::size_t kLookUp = 256;

// The dependants that a change has added, in the order added.
struct AddedDependants {
  std::map<JobId, std::vector<JobId>> by_job;  ///< that they wait for
};

// Jobs that have started or ended, and the first dependant of each that is not notified yet.
struct DependantNotices {
  std::vector<std::pair<JobId, JobId>> jobs;
  bool under_way = false;
};

void notify(Change& change, JobId dependant, const job::Job& on) {
  const std::vector<std::string> descriptions = change.job(dependant).dependencies;
  for (const std::string& description : descriptions) {
    const document::Dependency dependency = document::parse_description(description);
    if (!is_on_a_job(dependency.kind) || dependency.job != on.id) continue;
    if (change.job(dependant).state != job::State::depend) return;
    switch (dependency_state(dependency.kind, on)) {
      case DependencyState::waiting:
        break;
      case DependencyState::satisfied:
        post(change, dependant, events::dependency_remove(change.now(), description));
        break;
      case DependencyState::impossible:
        post(change, dependant,
             events::exception(change.now(), "dependency", 0,
                               fmt::format("dependency {} can never be satisfied", description)));
        break;
    }
  }
}

// The next dependants from `first` on, ascending: those in the index, then those that only now begin to wait,
// whose ids are greater.
std::vector<JobId> next_dependants(Change& change, JobId on, JobId first) {
  std::vector<JobId> ids;
  const std::string end = store::prefix_end(records::key::dependant_prefix(on));
  const auto at = change.transaction().scan(Family::index, records::key::dependant(on, first), end);
  for (; at->valid() && ids.size() < kLookUp; at->next()) {
    ids.push_back(records::key::indexed_job(at->key()));
  }
  if (ids.size() == kLookUp) return ids;
  const auto& added = change.kept<AddedDependants>().by_job;
  if (const auto found = added.find(on); found != added.end()) {
    std::copy_if(found->second.begin(), found->second.end(), std::back_inserter(ids),
                 [&](JobId id) { return id >= first; });
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

// The dependants of `id` from `first` on are for the next transaction.
void leave(Change& change, JobId id, JobId first) {
  records::write_notice(change.transaction(), id, first);
  change.effects().dependants_left = true;
}

void notify_from(Change& change, JobId id, JobId first) {
  std::optional<job::Job> purged;
  const job::Job* on = change.find_job(id);
  if (on == nullptr && (purged = records::find_purged(change.transaction(), id))) on = &*purged;
  if (on == nullptr) return;
  for (;;) {
    const std::vector<JobId> dependants = next_dependants(change, id, first);
    for (const JobId dependant : dependants) {
      if (change.is_large()) {
        leave(change, id, dependant);
        return;
      }
      notify(change, dependant, *on);
    }
    if (dependants.size() < kLookUp) return;
    first = JobId{dependants.back().value + 1};
  }
}

// While it lives, `flag` is true.
class UnderWay {
 public:
  explicit UnderWay(bool& flag) : flag_(flag) { flag_ = true; }
  ~UnderWay() { flag_ = false; }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

 private:
  bool& flag_;
};

}  // namespace

DependencyState dependency_state(DependencyKind kind, const job::Job& on) {
  const bool ended = on.state == job::State::inactive;
  const bool succeeded = job::result(on) == job::Result::completed;
  const auto when_ended = [&](bool satisfied) {
    if (!ended) return DependencyState::waiting;
    return satisfied ? DependencyState::satisfied : DependencyState::impossible;
  };
  switch (kind) {
    case DependencyKind::after_start:
      return on.t_run > 0 ? DependencyState::satisfied : when_ended(false);
    case DependencyKind::after_any:
      return when_ended(true);
    case DependencyKind::after_ok:
      return when_ended(succeeded);
    case DependencyKind::after_notok:
      return when_ended(!succeeded);
    case DependencyKind::after_except:
      // A job is cleaned up in the transaction in which it finishes, so a fatal exception is what ended it.
      return when_ended(on.t_run > 0 && on.exception.occurred && on.exception.severity == 0);
    case DependencyKind::begin_time:
    case DependencyKind::singleton:
      return DependencyState::waiting;
  }
  return DependencyState::waiting;
}

void note_dependant(Change& change, JobId on, JobId dependant) {
  change.kept<AddedDependants>().by_job[on].push_back(dependant);
}

void notify_dependants_later(Change& change, JobId id) {
  change.kept<DependantNotices>().jobs.emplace_back(id, JobId{});
}

void notify_dependants(Change& change) {
  DependantNotices& notices = change.kept<DependantNotices>();
  if (notices.under_way) return;
  const UnderWay guard(notices.under_way);
  // The last first: of a tree of jobs one branch at a time is left to be notified.
  while (!notices.jobs.empty()) {
    const auto [id, first] = notices.jobs.back();
    notices.jobs.pop_back();
    if (!change.is_large()) {
      notify_from(change, id, first);
    } else if (!next_dependants(change, id, first).empty()) {
      leave(change, id, first);
    }
  }
}

void notify_left_over(Change& change) {
  while (const auto left = records::last_notice(change.transaction())) {
    if (change.is_large()) {
      change.effects().dependants_left = true;
      return;
    }
    records::erase_notice(change.transaction(), left->first);
    change.kept<DependantNotices>().jobs.push_back(*left);
    notify_dependants(change);
  }
}

}  // namespace fq::manager
