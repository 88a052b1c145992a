#include "manager/maintenance.h"

#include "base/error.h"
#include "base/fault_point.h"
#include "exec/signal_block.h"
#include "store/database.h"
#include "store/store_lock.h"

namespace fq::manager {
namespace {

// After this much time no further family is begun.
constexpr double kBudget_s = 0.05;

}  // namespace

void compact_if_due(const Session& session, const StoreCondition& condition) noexcept {
  if (condition.level0_files >= kMaxLevel0Files) compact(session);
}

void compact(const Session& session) noexcept {
  try {
    const exec::SignalBlock held(exec::UserSignals::all);
    const auto lock = store::StoreLock::acquire(session.store, 0, session.command);
    auto database = store::Database::open(store::database_path(session.store), /*create=*/false);
    const double end = session.clock->boot_time() + kBudget_s;
    database.merge_level0(kMaxLevel0Files, [&] { return session.clock->boot_time() < end; });
    fault_point("files-merged");
    database.close();
  } catch (const std::exception&) {
    // Nothing is lost: the next shell tries again.
  }
}

}  // namespace fq::manager
