#include "manager/engine/kept_store.h"

#include <utility>

#include "base/fault_point.h"
#include "base/try_to.h"
#include "manager/engine/maintenance.h"
#include "manager/engine/reserve.h"
#include "process/start/rlimits.h"
#include "store/rocks/snapshot.h"
#include "store/transaction.h"

namespace fq::manager {

KeptStore::~KeptStore() {
  close();
}

std::optional<KeptStore::Held> KeptStore::take(const std::string& store) {
  if (!held_ || store != session_.store) return std::nullopt;
  return std::exchange(held_, std::nullopt);
}

void KeptStore::keep(Held held) {
  snapshot_.reset();
  unused_since_ = session_.clock->boot_time();
  held_.emplace(std::move(held));
}

void KeptStore::read(double lock_timeout_s, const std::function<void(const store::Reader&)>& look) {
  if (held_) return look(held_->database.begin());
  const std::uint64_t last = store::rocks::acknowledged_transaction(session_.store);
  if (!snapshot_ || last == 0 || last != snapshot_number_) {
    snapshot_.reset();
    snapshot_ = store::rocks::open_snapshot(session_.store, lock_timeout_s);
    snapshot_number_ = store::transaction_number(*snapshot_);
  }
  const auto snapshot = snapshot_;
  look(*snapshot);
}

void KeptStore::close() noexcept {
  snapshot_.reset();
  if (!held_) return;
  try_to([&] {
    const process::AllDescriptors all;
    const StoreCondition condition = close_database(held_->database, session_.store);
    held_.reset();
    if (leaves_work(condition)) session_.launcher->start_compaction(session_.store);
  });
  held_.reset();
}

StoreCondition close_database(store::rocks::Database& database, const std::string& store) {
  StoreCondition condition;
  try_to([&] { condition.level0_files = database.level0_files(); });
  condition.written_bytes = database.written_bytes();
  try_to([&] { condition.flushed_bytes = database.close(); });
  restore_reserve(store);
  fault_point("store-closed");
  return condition;
}

}  // namespace fq::manager
