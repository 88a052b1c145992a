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

/// Whether a command may make the store when none was named and none is there.
enum class MissingStore { refuse, create };

class StoreSession {
 public:
  /// Finds and checks the store. That of the job in which this runs is made where it is missing. With
  /// `create`, a store at the user's default place is made with the resources of this machine, and a line on
  /// stderr says so. Throws Error.
  StoreSession(std::string_view command, const CommonOptions& options,
               MissingStore missing = MissingStore::refuse);
  StoreSession(const StoreSession&) = delete;
  StoreSession& operator=(const StoreSession&) = delete;

  [[nodiscard]] const manager::Session& get() const { return session_; }
  [[nodiscard]] double now() const { return clock_.now(); }

 private:
  SystemClock clock_;
  manager::ProcessLauncher launcher_;
  std::optional<manager::DamagedStore> damaged_;
  manager::Session session_;
};

}  // namespace fq::cli
