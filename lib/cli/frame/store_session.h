// The store that a command works on, opened for it by the common options.

#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "cli/frame/common_options.h"
#include "manager/engine/damaged_store.h"
#include "manager/engine/launcher.h"
#include "manager/engine/session.h"

namespace fq::cli {

/// What a command does where none was named and none is there: it may make the store, or go on without one.
enum class MissingStore { refuse, create, go_on };

class StoreSession {
 public:
  /// Finds and checks the store. That of the job in which this runs is made where it is missing. With
  /// `create`, a store at the user's default place is made with the resources of this machine; lines on stderr
  /// say so, and what starts its jobs after a boot. Throws Error.
  StoreSession(std::string_view command, const CommonOptions& options,
               MissingStore missing = MissingStore::refuse);
  StoreSession(const StoreSession&) = delete;
  StoreSession& operator=(const StoreSession&) = delete;

  /// With `go_on` alone it may be missing. Lines on stderr tell of stores that the user has for other hosts
  /// then.
  [[nodiscard]] bool is_missing() const { return is_missing_; }
  /// REQUIRES that it is not missing.
  [[nodiscard]] const manager::Session& get() const { return session_; }
  [[nodiscard]] double now() const { return clock_.now(); }

 private:
  SystemClock clock_;
  manager::ProcessLauncher launcher_;
  std::optional<manager::DamagedStore> damaged_;
  manager::Session session_;
  bool is_missing_ = false;
};

}  // namespace fq::cli
