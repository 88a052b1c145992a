#include "manager/maintenance.h"

#include <optional>
#include <string>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "exec/signal_block.h"
#include "store/merge.h"
#include "store/store_lock.h"

namespace fq::manager {
namespace {

// What was merged is worth a wait.
constexpr double kPatience_s = 30;
constexpr int kTries = 5;
constexpr int kTooManyFiles = 6 * kMaxLevel0Files;

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

// Whoever commits meanwhile may take away a file that tells what tables there are: then it is tried again.
std::string do_merge(const std::string& database, const store::MergePlan& plan, const Scratch& scratch) {
  for (int tries = 1;; ++tries) {
    try {
      return store::do_merge(database, plan, scratch.files());
    } catch (const Error&) {
      if (tries == kTries) throw;
    }
    scratch.clear();
  }
}

// Merges the files of one family that has too many, if the lock is free. False when there is none.
bool merge_one(const Session& session) {
  const Scratch scratch(session.store);
  if (!scratch.mine()) return false;
  const std::string database = store::database_path(session.store);
  std::optional<store::MergePlan> plan;
  {
    const auto lock = store::StoreLock::acquire(session.store, 0, session.command);
    plan = store::plan_merge(database, kMaxLevel0Files);
    if (plan && plan->files.size() >= kTooManyFiles) {
      // Writers are faster than merging beside them: they wait for this one.
      store::merge_at_once(database, *plan);
      return true;
    }
  }
  if (!plan) return false;
  const std::string result = do_merge(database, *plan, scratch);
  fault_point("merge-done");
  const auto lock = store::StoreLock::acquire(session.store, kPatience_s, session.command);
  store::install_merge(database, *plan, result);
  fault_point("files-merged");
  return true;
}

}  // namespace

void compact_if_due(const Session& session, const StoreCondition& condition) noexcept {
  if (condition.level0_files >= kMaxLevel0Files) compact(session);
}

void compact(const Session& session) noexcept {
  try {
    const exec::SignalBlock held(exec::UserSignals::all);
    while (merge_one(session)) {
    }
  } catch (const std::exception&) {
    // Nothing is lost: the next shell tries again.
  }
}

}  // namespace fq::manager
