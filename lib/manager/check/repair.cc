#include "manager/check/repair.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/text.h"
#include "job/actions.h"
#include "job/events.h"
#include "manager/accounts/check.h"
#include "manager/check/forgotten_shells.h"
#include "manager/check/repair_administration.h"
#include "manager/check/repair_jobs.h"
#include "manager/core/dependants.h"
#include "manager/core/inventory.h"
#include "manager/core/log_act.h"
#include "manager/core/post.h"
#include "manager/core/singleton.h"
#include "manager/engine/migrate.h"
#include "manager/engine/store_check.h"
#include "process/signals/signal_block.h"
#include "records/advance_reservations.h"
#include "records/housekeeping.h"
#include "records/instance.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/leftovers.h"
#include "records/purged.h"
#include "records/queues.h"
#include "store/rocks/database.h"
#include "store/rocks/salvage.h"
#include "store/store_lock.h"

namespace fq::manager {

using notation::JobId;
using store::Family;
namespace key = records::key;

namespace {

// What is kept beside jobs, after their records were made anew: what belongs to none goes.
class BesideJobs {
 public:
  explicit BesideJobs(store::Transaction& transaction) : transaction_(transaction) {}

  void run() {
    erase_unless(key::kAnnotationPrefix, [](std::string_view, const std::optional<job::Job>& job) {
      return job && job->state == job::State::sched;
    });
    erase_unless(key::kMemoPrefix, [](std::string_view, const std::optional<job::Job>& job) {
      return job && job::is_active(job->state);
    });
    erase_unless(key::kWaitablePrefix, [](std::string_view key, const std::optional<job::Job>& job) {
      return job && key == waitable_key(*job);
    });
    erase_unless(key::kLeftoversPrefix, [&](std::string_view key, const std::optional<job::Job>& job) {
      const JobId id = key::indexed_job(key);
      return ((job && job::wants_shell(*job)) || records::find_housekeeping(transaction_, id)) &&
             has_readable_leftovers(id);
    });
    std::uint64_t purged = 0;
    erase_unless(key::kPurgedPrefix, [&](std::string_view key, const std::optional<job::Job>& job) {
      if (job || !is_readable(key)) return false;
      ++purged;
      return true;
    });
    if (purged != records::purged_jobs(transaction_))
      transaction_.put(Family::instance, key::kPurgedCount, std::to_string(purged));
    write_sequence();
    repair_accounts(transaction_, records::read_sequence(transaction_).last_time);
    transaction_.commit();
  }

 private:
  [[nodiscard]] bool has_readable_leftovers(JobId id) const {
    try {
      return records::find_leftovers(transaction_, id).has_value();
    } catch (const Error&) {
      return false;
    }
  }

  static std::string waitable_key(const job::Job& job) {
    using key::WaitPhase;
    if ((job.flags & job::kFlagWaitable) == 0) return {};
    return job::is_active(job.state) ? key::waitable(job.userid, WaitPhase::active, job.t_submit, job.id)
                                     : key::waitable(job.userid, WaitPhase::ended, job.t_inactive, job.id);
  }

  bool is_readable(std::string_view purged_key) const {
    try {
      return records::find_purged(transaction_, key::indexed_job(purged_key)).has_value();
    } catch (const Error&) {
      return false;
    }
  }

  void erase_unless(std::string_view prefix,
                    const std::function<bool(std::string_view, const std::optional<job::Job>&)>& belongs) {
    std::vector<std::string> keys;
    for (const auto at = transaction_.scan_prefix(Family::instance, prefix); at->valid(); at->next()) {
      const bool has_id = at->key().size() >= prefix.size() + sizeof(std::uint64_t);
      if (!has_id || !belongs(at->key(), records::find_job(transaction_, key::indexed_job(at->key()))))
        keys.emplace_back(at->key());
    }
    for (const std::string& k : keys) transaction_.erase(Family::instance, k);
  }

  void write_sequence() {
    records::Sequence sequence;
    try {
      sequence = records::read_sequence(transaction_);
    } catch (const Error&) {
      sequence.last_time = 0;  // every transaction sets it to at least the time of the clock
    }
    JobId last;
    for (const std::string& k : transaction_.last_keys(Family::jobs, "", 1)) last = key::job_of(k);
    if (sequence.last_id >= last) return;
    sequence.last_id = last;
    records::write_sequence(transaction_, sequence);
  }

  store::Transaction& transaction_;
};

// Whatever jobs wait for that has come, or is due by itself; and what says that they are waitable.
void post_what_is_due(Change& change) {
  std::vector<JobId> ids;
  for (const job::State state :
       {job::State::fresh, job::State::depend, job::State::priority, job::State::run, job::State::cleanup}) {
    const auto at = change.transaction().scan_prefix(Family::index, key::state_prefix(state));
    for (; at->valid(); at->next()) ids.push_back(key::indexed_job(at->key()));
  }
  for (const JobId id : ids) {
    const auto job = records::find_job(change.transaction(), id);
    if (!job) continue;
    if (job::due_event(*job)) post_due(change, id);
    if (job->state != job::State::depend) continue;
    for (const std::string& description : job->dependencies) {
      const document::Dependency dependency = document::parse_description(description);
      if (is_on_a_job(dependency.kind)) {
        const job::Job* on = change.find_job(dependency.job);
        if (on == nullptr || dependency_state(dependency.kind, *on) == DependencyState::waiting) continue;
        notify_dependants_later(change, dependency.job);
        notify_dependants(change);
      } else if (dependency.kind == document::DependencyKind::singleton &&
                 !name_is_taken(change, job->userid, job->name)) {
        post(change, id, job::events::dependency_remove(change.now(), description));
      }
    }
  }
  change.note_release();  // nodes may leave
}

void note_waitable(store::Transaction& transaction) {
  for (JobId from;;) {
    std::vector<std::string> keys;
    std::size_t seen = 0;
    for (const auto at = transaction.scan(Family::jobs, key::job(from), ""); at->valid() && seen < 1000;
         at->next(), ++seen) {
      from = JobId{key::job_of(at->key()).value + 1};
      const auto job = records::find_job(transaction, key::job_of(at->key()));
      if (job && (job->flags & job::kFlagWaitable) != 0 && job::is_active(job->state))
        keys.push_back(key::waitable(job->userid, key::WaitPhase::active, job->t_submit, job->id));
    }
    for (const std::string& k : keys) {
      if (!transaction.get(Family::instance, k)) transaction.put(Family::instance, k, "");
    }
    if (seen < 1000) return;
  }
}

// Those that cannot be read keep nodes from nobody.
void mend_reservations(store::Transaction& transaction, const Report& report) {
  for (const std::string& fault : records::check_advance_reservations(transaction))
    report(fmt::format("{}; one that cannot be used is removed", fault));
  records::repair_advance_reservations(transaction);
}

// A queue whose state has no record is enabled and started, whatever an administrator had made it.
void tell_of_queues(const store::Reader& reader, const Report& report) {
  for (const std::string& name : records::Queues(reader).names()) {
    if (reader.get(Family::instance, key::queue(name))) continue;
    report(
        fmt::format("{}: no record of its state is left: it is enabled and started now, and may have been "
                    "disabled or stopped",
                    name.empty() ? "the queue" : "queue " + quote(name)));
  }
}

}  // namespace

std::string aside_directory(const Session& session) {
  const auto seconds = static_cast<std::time_t>(session.clock->now());
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%S", &utc);
  return fmt::format("{}/damaged-{}", session.store, text);
}

void repair(const Session& session, const std::string& aside, const Report& report) {
  {
    const process::SignalBlock waiting(process::UserSignals::that_stop);
    auto lock = store::StoreLock::acquire(session.store, session.lock_timeout_s, session.command,
                                          session.notices.waiting);
    const process::SignalBlock holding(process::UserSignals::all);
    const store::rocks::Mended mended = store::rocks::repair_database(
        session.store, [&](store::Transaction& transaction, const std::string& directory) {
          require_own_store(session.store, transaction);
          // It goes on in its place, with all that lives there; that of a copy stays another's until the
          // whole repair is done.
          if (!is_copy(session.store, transaction))
            transaction.put(Family::instance, key::kPlace, place_of(directory));
        });
    for (const std::string& line : mended.done) report(line);
    if (mended.replaced) fault_point("database-replaced");
    auto database = store::rocks::Database::open(store::database_path(session.store), /*create=*/false);
    store::rocks::Transaction transaction = database.begin();
    require_own_store(session.store, transaction);
    record_place(session.store, transaction);
    if (mended.records_lost) tell_of_queues(transaction, report);
    repair_administration(transaction, report);
    repair_jobs(session, transaction, aside, report);
    make_derived_anew(transaction, [&](std::uint64_t done, std::uint64_t total) {
      lock.describe(fmt::format("{}, which repairs the store: {} of {} jobs", session.command, done, total));
    });
    mend_reservations(transaction, report);
    BesideJobs(transaction).run();
    note_waitable(transaction);
    Change change(session, transaction);
    end_forgotten_shells(change, report);
    change.write_back();
    log_act(change, "repair", nlohmann::json::object());
    if (!transaction.empty()) transaction.commit();
    database.close();
  }
  transact(session, post_what_is_due, FullDisk::use_reserve);
}

}  // namespace fq::manager
