#include "manager/maintenance.h"

#include "base/error.h"
#include "base/fault_point.h"
#include "exec/signal_block.h"
#include "store/database.h"
#include "store/store_lock.h"

namespace fq::manager {
namespace {

// One tenure of the lock: merges one family that has too many files. False when there is none, or the lock is
// taken.
bool merge_one(const Session& session) {
  const auto lock = store::StoreLock::acquire(session.store, 0, session.command);
  auto database = store::Database::open(store::database_path(session.store), /*create=*/false);
  int merged = 0;
  database.merge_level0(kMaxLevel0Files, [&] { return merged++ == 0; });
  fault_point("files-merged");
  database.close();
  return merged > 0;
}

}  // namespace

void compact_if_due(const Session& session, const StoreCondition& condition) noexcept {
  if (condition.level0_files >= kMaxLevel0Files) compact(session);
}

void compact(const Session& session) noexcept {
  try {
    const exec::SignalBlock held(exec::UserSignals::all);
    // Each family in a tenure of its own: others get the lock in between.
    while (merge_one(session)) {
    }
  } catch (const std::exception&) {
    // Nothing is lost: the next shell tries again.
  }
}

}  // namespace fq::manager
