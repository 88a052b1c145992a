#include "manager/engine/maintenance.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <sys/resource.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "base/trash.h"
#include "manager/dump/dump.h"
#include "process/signals/signal_block.h"
#include "store/rocks/merge.h"
#include "store/store_lock.h"

namespace fq::manager {
namespace {

// Beside writers in a loop the lock is free for moments only; what was merged is worth a longer wait.
constexpr double kPlanPatience_s = 1;
constexpr double kInstallPatience_s = 30;
constexpr std::size_t kTooManyFiles = std::size_t{6} * kMaxLevel0Files;
constexpr std::uint64_t kAtOnce_bytes = 16U << 20U;  // what that takes is still bearable
// Of the lowest priority, beside tasks that use all processors, a merge takes so long that files pile up.
constexpr int kNice = 10;
constexpr double kLull_s = 0.03;
constexpr double kLullPatience_s = 0.5;
constexpr double kPause_s = 0.002;
constexpr double kPauseForOthers_s = 0.016;  // some commits
constexpr double kCalm_s = 0.5;
constexpr std::uint64_t kBulk_bytes = 4U << 20U;

// Where merged files wait to be installed, locked by who makes them. What is found in it was left by a merger
// that died.
class Scratch {
 public:
  explicit Scratch(const std::string& store) : path_(store + "/merge") {
    make_directory(path_);
    lock_ = FileLock::try_acquire(path_ + "/lock", LockMode::exclusive);
    if (lock_) clear();
  }
  [[nodiscard]] bool mine() const { return lock_.has_value(); }
  void clear() const {
    remove_tree(files());
    make_directory(files());
  }
  [[nodiscard]] std::string files() const { return path_ + "/files"; }

 private:
  std::string path_;
  std::optional<FileLock> lock_;
};

// Whether others take the store lock, who write their names into it: to look at that costs them nothing,
// unlike trying to take it.
class LockWatch {
 public:
  explicit LockWatch(const std::string& store) : path_(store::lock_path(store)) {}
  /// Since the last time; true at first.
  bool was_taken() {
    const std::int64_t written = modification_time_ns(path_);
    return std::exchange(written_, written) != written;
  }

 private:
  std::string path_;
  std::int64_t written_ = 0;
};

// Who has left much to do mostly goes on, and would wait for the planning.
void await_lull(const std::string& store) {
  const SystemClock clock;
  const double end = clock.boot_time() + kLullPatience_s;
  LockWatch lock(store);
  while (lock.was_taken() && clock.boot_time() < end) pause_for(kLull_s);
}

// Pauses while the trash is emptied: longer while others commit.
class PauseForOthers {
 public:
  explicit PauseForOthers(const std::string& store) : lock_(store) {}
  void operator()() {
    const double now = SystemClock().boot_time();
    if (lock_.was_taken()) busy_until_ = now + kCalm_s;
    pause_for(now < busy_until_ ? kPauseForOthers_s : kPause_s);
  }

 private:
  LockWatch lock_;
  double busy_until_ = 0;
};

// Runs `work`, which nobody waits for, on a thread of its own: this one must not be slow under the lock.
template <typename Work>
auto at_low_priority(const Work& work) {
  return std::async(std::launch::async,
                    [&] {
                      ::setpriority(PRIO_PROCESS, 0, kNice);  // of the calling thread alone
                      return work();
                    })
      .get();
}

// What of it comes faster than it is merged beside the writers: they wait for it once.
store::rocks::MergePlan left_behind(const store::rocks::MergePlan& plan) {
  store::rocks::MergePlan behind;
  std::copy_if(
      plan.begin(), plan.end(), std::back_inserter(behind), [](const store::rocks::FamilyMerge& merge) {
        return merge.choice.level0_files >= kTooManyFiles && merge.choice.small_bytes <= kAtOnce_bytes;
      });
  return behind;
}

// Installs what was merged, where there is something, and plans the next merge.
std::optional<store::rocks::MergePlan> next_merge(const Session& session, const std::string& database,
                                                  const std::optional<store::rocks::MergePlan>& merged,
                                                  const store::rocks::MergeResult& result) {
  const auto lock = store::StoreLock::acquire(session.store, merged ? kInstallPatience_s : kPlanPatience_s,
                                              session.command);
  auto plan = merged ? store::rocks::install_merge(database, *merged, result, kMaxLevel0Files)
                     : store::rocks::plan_merge(database, kMaxLevel0Files);
  if (merged) fault_point("files-merged");
  const store::rocks::MergePlan behind = plan ? left_behind(*plan) : store::rocks::MergePlan{};
  if (behind.empty()) return plan;
  store::rocks::merge_at_once(database, behind);
  return store::rocks::plan_merge(database, kMaxLevel0Files);
}

void merge_all(const Session& session) {
  const Scratch scratch(session.store);
  if (!scratch.mine()) return;
  await_lull(session.store);
  const std::string database = store::database_path(session.store);
  std::optional<store::rocks::MergePlan> plan;
  store::rocks::MergeResult result;
  while ((plan = next_merge(session, database, plan, result))) {
    scratch.clear();
    result = at_low_priority([&] { return store::rocks::do_merge(database, *plan, scratch.files()); });
    fault_point("merge-done");
  }
}

// Whether much was written, or flushed for a bulk writer that died.
bool was_bulk(const StoreCondition& condition) {
  return std::max(condition.written_bytes, condition.flushed_bytes) > kBulk_bytes;
}

}  // namespace

bool leaves_work(const StoreCondition& condition) {
  return was_bulk(condition) || (condition.flushed_bytes > 0 && condition.level0_files >= kMaxLevel0Files);
}

void maintain(const Session& session) noexcept {
  maintain(session, {kMaxLevel0Files});
}

void maintain(const Session& session, const StoreCondition& condition) noexcept {
  // Where something fails nothing is lost: the next shell tries again.
  const auto try_to = [](const auto& act) {
    try {
      act();
    } catch (const std::exception&) {
    }
  };
  const process::SignalBlock held(process::UserSignals::all);
  try_to([&] {
    make_directory(session.files().trash_dir());  // stores of old have none
    if (condition.level0_files >= kMaxLevel0Files || was_bulk(condition)) merge_all(session);
  });
  try_to([&] { clear_killed_dump(session.store); });
  try_to([&] { empty_trash_slowly(session.files().trash_dir(), PauseForOthers(session.store)); });
}

}  // namespace fq::manager
