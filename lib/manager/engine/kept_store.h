// The lock of a store, and its database open, kept from one transaction to the next by a process that does
// many: to open it is most of what one costs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "manager/engine/session.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"

namespace fq::manager {

/// A query takes longer than others should wait for. No Error: who keeps a store catches it.
struct TooMuchToRead {};

class KeptStore {
 public:
  struct Held {
    store::StoreLock lock;
    store::rocks::Database database;
    double since = 0;  ///< boot time at which the lock was taken
  };

  /// Of the session's store, without anything as yet. The session outlives this. A query that looks at more
  /// than so many keys is given up with TooMuchToRead.
  KeptStore(const Session& session, std::size_t most_reads) : session_(session), most_reads_(most_reads) {}
  /// Closes it.
  ~KeptStore();
  KeptStore(const KeptStore&) = delete;
  KeptStore& operator=(const KeptStore&) = delete;

  [[nodiscard]] std::size_t most_reads() const { return most_reads_; }

  /// What is kept of this store, for a transaction; nothing where nothing is.
  [[nodiscard]] std::optional<Held> take(const std::string& store);
  /// Keeps it. Others wait for the store from now on, until it is closed.
  void keep(Held held);
  /// Runs `look` over what was committed last, if that is here: in the database, if it is kept open, else in
  /// what was read before, if nothing was committed since. That is read anew where it is not, and kept.
  /// Throws what store::rocks::open_snapshot does.
  void read(double lock_timeout_s, const std::function<void(const store::Reader&)>& look);
  [[nodiscard]] bool is_of(const std::string& store) const { return store == session_.store; }

  /// Whether it is: others wait then.
  [[nodiscard]] bool is_open() const { return held_.has_value(); }
  /// Since when, and since when for no transaction, boot time. REQUIRES is_open().
  [[nodiscard]] double since() const { return held_->since; }
  [[nodiscard]] double unused_since() const { return unused_since_; }
  /// Closes the database, and what was read, and lets others have the lock. Never fails.
  void close() noexcept;

 private:
  const Session& session_;
  const std::size_t most_reads_;
  std::optional<Held> held_;
  std::shared_ptr<const store::Reader> snapshot_;  ///< shared with who reads it
  std::uint64_t snapshot_number_ = 0;              ///< of the last transaction in it
  double unused_since_ = 0;
};

/// Closes what a transaction has done with, as its last step under the lock.
[[nodiscard]] StoreCondition close_database(store::rocks::Database& database, const std::string& store);

}  // namespace fq::manager
