// A command's dealings with one store: where it is, who asks, and how a change of it is made.
//
// `transact` is the life of every writer: take the lock, open, repair what died meanwhile, do the work, run
// the scheduling pass, commit once, release the lock, and only then act on the world. `query` is that of
// every reader.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "manager/engine/launcher.h"
#include "meeting/job_files.h"
#include "process/user/user_database.h"
#include "store/reader.h"

namespace fq::manager {

class Change;
class DamagedStore;
class KeptStore;
struct Signatures;

/// Who asks.
struct Credential {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::shared_ptr<const process::Names> names =
      nullptr;  ///< null until they are needed, see manager/core/caller_names.h
  /// What the system calls uid, where jobs are signed; empty: not asked, whoever has the number is meant.
  std::string login{};

  /// The real user and group of this process.
  [[nodiscard]] static Credential of_process();
};

/// What a command may tell its user while the store keeps it. Called while the lock is held or waited for:
/// they must not block. One that is missing tells nothing.
struct Notices {
  /// The store is brought to the present format: `done` of `total` jobs are.
  std::function<void(std::uint64_t done, std::uint64_t total)> migrating;
  /// Another holds the lock for long already, `pid 4711 (fq-submit)`; empty: nobody knows who.
  std::function<void(const std::string& holder)> waiting;
  /// The lock is held: from now on it is not nothing that has been done.
  std::function<void()> begins;
};

struct Session {
  std::string store;           ///< absolute path of the store directory
  std::string command;         ///< what the lock file says of the holder: `fq-submit`
  double lock_timeout_s = 30;  ///< infinity: wait for ever
  Credential caller;
  bool compacts = false;                     ///< looks after the store's files itself (maintenance.h)
  bool starts_whatever_it_inherits = false;  ///< the waker's helper: nobody is left to leave starting to
  bool leaves_starting = false;  ///< to the waker, whatever it takes: this process's namespaces are a job's
  std::function<void(Change&)> adopts;  ///< what becomes of a copy's jobs (adopt.h); none: it is refused
  Notices notices;
  /// Is told what to tell who asks, should this process end for its processor time; may be empty.
  std::function<void(const Error&)> last_words;
  KeptStore* kept = nullptr;  ///< outlives the session; none: the store is closed after each transaction
  DamagedStore* damaged = nullptr;         ///< outlives the session; none: one that is damaged is refused
  const Signatures* signatures = nullptr;  ///< wanted of what is submitted; none: it runs as who answers
  const Clock* clock = nullptr;            ///< these outlive the session
  Launcher* launcher = nullptr;

  [[nodiscard]] meeting::JobFiles files() const { return meeting::JobFiles{store}; }
};

/// What a writer saw of the database when it left.
struct StoreCondition {
  int level0_files = 0;             ///< of the family that has most: each lookup may have to ask every one
  std::uint64_t flushed_bytes = 0;  ///< of logs, by this writer; 0: it added no file
  std::uint64_t written_bytes = 0;  ///< by this writer
};

/// What to do when the disk is full: work that makes room, or ends what runs, may give up the store's
/// reserve.
enum class FullDisk { refuse, use_reserve };

/// Does the work of one request in a transaction: reads and changes the store through `change`. Throwing an
/// Error refuses the request: nothing of the step is kept, and the error is passed on.
using Work = std::function<void(Change&)>;
StoreCondition transact(const Session& session, const Work& work, FullDisk full = FullDisk::refuse);

/// The same, unless `settled`, which is asked under the lock before the database is opened, says that another
/// writer has done the work.
StoreCondition transact_unless(const Session& session, const std::function<bool()>& settled, const Work& work,
                               FullDisk full = FullDisk::refuse);

/// Work in many steps, each committed on its own under one tenure of the lock.
struct Steps {
  /// Does the next step; returns false when it was the last. The scheduling pass runs in the last one.
  std::function<bool(Change&)> step;
  /// What the last step did is stored. A step that was not may be asked for again.
  std::function<void()> stored = [] {};
};
/// A failure after the first step leaves what was stored before it, and acts on that.
StoreCondition transact_steps(const Session& session, const Steps& steps, FullDisk full = FullDisk::refuse);

/// Runs `read` over one committed state; it may run more than once (store/rocks/snapshot.h).
void query(const Session& session, const std::function<void(const store::Reader&)>& read);

/// `query`, after making sure that jobs whose shell was killed are not shown as running, nor those as waiting
/// whose time has come: where there are such, a transaction first does what the waker would.
void query_repaired(const Session& session, const std::function<void(const store::Reader&)>& read);

}  // namespace fq::manager
