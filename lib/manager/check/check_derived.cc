#include "manager/check/check_derived.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/resource/resource_set.h"
#include "job/actions.h"
#include "manager/core/inventory.h"
#include "manager/pass/period_timer.h"
#include "manager/pass/scheduler_retry.h"
#include "manager/pass/stored_pool.h"
#include "records/housekeeping.h"
#include "records/job_age.h"
#include "records/job_class.h"
#include "records/job_index.h"
#include "records/job_table.h"
#include "records/leftovers.h"
#include "records/purged.h"

namespace fq::manager {

using notation::JobId;
using store::Family;
namespace key = records::key;

namespace {

class DerivedCheck {
 public:
  DerivedCheck(const store::Reader& reader, const Expected& expected, const Report& report)
      : reader_(reader), ages_(reader), expected_(expected), report_(report) {}

  void run() {
    check_index();
    check_classes();
    check_counts();
    for_each(key::kAnnotationPrefix, [&](JobId id, const std::optional<job::Job>& job) {
      if (!job || job->state != job::State::sched) say("job {} is annotated and not pending", id);
    });
    for_each(key::kMemoPrefix, [&](JobId id, const std::optional<job::Job>& job) {
      if (!job || !job::is_active(job->state)) say("job {} has a memo beside its log and is not active", id);
    });
    for_each(key::kLeftoversPrefix, [&](JobId id, const std::optional<job::Job>& job) {
      if ((!job || !job::wants_shell(*job)) && !records::find_housekeeping(reader_, id))
        say("processes are left of job {}, which is not being ended", id);
      check_part(report_, fmt::format("job {}: what is left of it", id),
                 [&] { static_cast<void>(records::find_leftovers(reader_, id)); });
    });
    for_each(key::kWaitablePrefix, [&](JobId id, const std::optional<job::Job>& job) {
      if (!job || (job->flags & job::kFlagWaitable) == 0) say("job {} is waited for and not waitable", id);
    });
    check_waitable();
    check_purged();
    check_part(report_, "the pool", [&] { check_pool(); });
  }

 private:
  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    report_(fmt::format(format, std::forward<Args>(args)...));
  }

  // A record that cannot be read was told of already.
  std::optional<job::Job> find(JobId id) const {
    try {
      return records::find_job(reader_, id);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  // Each key of the instance family with this prefix that ends in a job's id.
  template <typename Visit>
  void for_each(std::string_view prefix, Visit visit) {
    for (const auto at = reader_.scan_prefix(Family::instance, prefix); at->valid(); at->next()) {
      if (at->key().size() < prefix.size() + sizeof(std::uint64_t)) {
        say("the key {} has no job", quote(at->key()));
        continue;
      }
      const JobId id = key::indexed_job(at->key());
      visit(id, find(id));
    }
  }

  // Each entry that belongs to a record is there already: others show in their number.
  void check_index() {
    const std::optional<std::string> start = inventory_timer(reader_), period = period_timer(reader_);
    const std::optional<std::string> retry = retry_timer(reader_);
    if (start && !reader_.get(Family::index, *start)) say("the timer of the inventory's start is missing");
    if (period && !reader_.get(Family::index, *period)) say("the timer of the priorities' period is missing");
    if (retry && !reader_.get(Family::index, *retry)) say("the timer of a scheduler's next try is missing");
    const auto is_timer = [&](std::string_view entry) {
      return entry == start || entry == period || entry == retry;
    };
    std::uint64_t entries = 0;
    for (const auto at = reader_.scan(Family::index, "", ""); at->valid(); at->next()) {
      if (!is_timer(at->key())) ++entries;
      if (!at->value().empty()) say("index entry {} has a value", quote(at->key()));
    }
    if (entries == expected_.index_entries) return;
    for (const auto at = reader_.scan(Family::index, "", ""); at->valid(); at->next()) {
      const std::string_view entry = at->key();
      if (is_timer(entry)) continue;
      std::optional<job::Job> job;
      if (entry.size() > sizeof(std::uint64_t)) job = find(key::indexed_job(entry));
      const auto keys = job ? records::index_keys(*job, ages_) : std::vector<std::string>{};
      if (std::find(keys.begin(), keys.end(), entry) == keys.end())
        say("index entry {} is left over", quote(entry));
    }
  }

  void check_classes() {
    auto missing = expected_.classes;
    for (const auto at = reader_.scan_prefix(Family::instance, key::kClassPrefix); at->valid(); at->next()) {
      records::ClassId id{};
      const std::string_view text = at->key().substr(key::kClassPrefix.size());
      std::memcpy(id.data(), text.data(), std::min(text.size(), id.size()));
      const auto members = missing.extract(id);
      const auto head =
          members.empty() || text.size() != id.size() ? std::nullopt : find(members.mapped().head);
      if (!head) {
        say("class {} is left over", quote(text));
        continue;
      }
      records::JobClass wanted = records::class_of(*head);
      wanted.count = members.mapped().count;
      wanted.head_time = members.mapped().head_time;
      wanted.head = members.mapped().head;
      if (records::encode(wanted) != at->value())
        say("the class of job {} is not what its {} give", head->id, counted(wanted.count, "job"));
    }
    for (const auto& [id, members] : missing) say("the class of job {} is missing", members.head);
  }

  // `user 1000, R in queue 'batch'`
  static std::string count_name(std::string_view text) {
    if (text.starts_with(key::kActivePrefix)) {
      const key::ActiveKind kind = key::active_kind(text);
      if (!kind.bank.empty()) return fmt::format("active jobs in bank {}", quote(kind.bank));
      return kind.queue.empty() ? "active jobs" : "active jobs in queue " + quote(kind.queue);
    }
    if (text.starts_with(key::kBytesPrefix))
      return fmt::format("bytes of user {}", key::stored_bytes_user(text));
    const std::string_view rest = text.substr(std::min(text.size(), key::kCountPrefix.size()));
    const std::size_t end = rest.find('\0', 4);
    if (end == std::string_view::npos) return quote(text);
    std::uint32_t user = 0;
    for (const char c : rest.substr(0, 4)) user = user << 8U | static_cast<unsigned char>(c);
    const std::string_view queue = rest.substr(end + 1);
    return fmt::format("user {}, {}{}", user, printable(rest.substr(4, end - 4)),
                       queue.empty() ? "" : " in queue " + quote(queue));
  }

  void check_counts() {
    auto missing = expected_.counts;
    for (const std::string_view prefix : {key::kCountPrefix, key::kActivePrefix, key::kBytesPrefix}) {
      for (const auto at = reader_.scan_prefix(Family::instance, prefix); at->valid(); at->next()) {
        const auto count = missing.extract(std::string{at->key()});
        const std::uint64_t wanted = count.empty() ? 0 : count.mapped();
        if (count.empty() || parse_u64(at->value()) != wanted)
          say("the counter of {} is {}, not {}", count_name(at->key()), printable(at->value()), wanted);
      }
    }
    for (const auto& [name, wanted] : missing)
      say("the counter of {} is missing, not {}", count_name(name), wanted);
  }

  // A waitable job has its entry while it is active; when it has ended, its own or none.
  void check_waitable() {
    using records::key::WaitPhase;
    for (const auto at = reader_.scan_prefix(Family::instance, key::kWaitablePrefix); at->valid();
         at->next()) {
      const auto job = find(key::indexed_job(at->key()));
      if (!job || (job->flags & job::kFlagWaitable) == 0) continue;  // was told of
      const bool active = job::is_active(job->state);
      const std::string wanted = key::waitable(job->userid, active ? WaitPhase::active : WaitPhase::ended,
                                               active ? job->t_submit : job->t_inactive, job->id);
      if (at->key() != wanted) say("job {}: what says that it is waitable is left over", job->id);
    }
  }

  void check_purged() {
    std::uint64_t purged = 0;
    for_each(key::kPurgedPrefix, [&](JobId id, const std::optional<job::Job>& job) {
      ++purged;
      if (job) say("job {} was purged and has a record", id);
      check_part(report_, fmt::format("job {}", id),
                 [&] { static_cast<void>(records::find_purged(reader_, id)); });
    });
    const std::uint64_t counted_jobs = records::purged_jobs(reader_);
    if (counted_jobs != purged) say("{} were purged, {} are counted", counted(purged, "job"), counted_jobs);
  }

  void check_pool() {
    if (!expected_.pool) return;
    const auto stored = load_pool(reader_);
    if (stored->allocated() == expected_.pool->allocated()) return;
    const auto text = [](const sched::Pool& pool) {
      const std::string summary = pool.allocated().summary();
      return summary.empty() ? std::string{"nothing"} : summary;
    };
    say("the pool has {} allocated, running jobs and housekeeping hold {}", text(*stored),
        text(*expected_.pool));
  }

  const store::Reader& reader_;
  records::JobAges ages_;
  const Expected& expected_;
  const Report& report_;
};

}  // namespace

void check_derived(const store::Reader& reader, const Expected& expected, const Report& report) {
  DerivedCheck(reader, expected, report).run();
}

}  // namespace fq::manager
