// The store that a command works on, opened for it by the common options.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "cli/frame/common_options.h"
#include "door/door.h"
#include "manager/engine/damaged_store.h"
#include "manager/engine/launcher.h"
#include "manager/engine/session.h"

namespace fq::tools {

/// What a command does where none was named and none is there: it may make the store, or go on without one.
enum class MissingStore { refuse, create, go_on };

/// The gate to the store, where it is the one that the users of this machine share, and another user's; empty
/// where there is none. A gate that nobody has made root's is none.
[[nodiscard]] std::string gate_to(const std::string& store);

class StoreSession {
 public:
  /// Finds and checks the store. That of the job in which this runs is made where it is missing. With
  /// `create`, a store at the user's default place is made with the resources of this machine; lines on
  /// stderr cli::say so, and what starts its jobs after a boot. One of another machine is asked by ssh.
  /// Throws Error.
  StoreSession(std::string_view command, const cli::CommonOptions& options,
               MissingStore missing = MissingStore::refuse);
  StoreSession(const StoreSession&) = delete;
  StoreSession& operator=(const StoreSession&) = delete;

  /// With `go_on` alone it may be missing. Lines on stderr tell of stores that the user has for other hosts
  /// then.
  [[nodiscard]] bool is_missing() const { return is_missing_; }
  /// REQUIRES that it is not missing.
  [[nodiscard]] const door::Door& get() const { return *door_; }
  /// Whether requests are answered by another user's process on this machine: what looks after the store
  /// itself is not for who runs this.
  [[nodiscard]] bool is_behind_gate() const { return is_behind_gate_; }
  /// What a program needs that looks after the store itself. REQUIRES the same. Throws Error for a store of
  /// another machine, or of another user.
  [[nodiscard]] const manager::Session& local() const;
  /// Its directory. Throws Error for a store of another machine.
  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] double now() const { return clock_.now(); }

 private:
  SystemClock clock_;
  manager::ProcessLauncher launcher_;
  std::optional<manager::DamagedStore> damaged_;
  manager::Session session_;
  std::unique_ptr<door::Door> door_;
  bool is_missing_ = false;
  bool is_behind_gate_ = false;
  bool is_elsewhere_ = false;
};

}  // namespace fq::tools
