// The sources of fq-hostlist that only a store knows: the hosts of a job, and all of them.

#pragma once

#include <optional>
#include <string>

#include "cli/frame/common_options.h"
#include "door/door.h"
#include "frame/store_session.h"
#include "notation/fluid.h"
#include "notation/hostlist.h"

namespace fq::tools::hostlist {

class StoreHosts {
 public:
  /// With `fallback`, what has the form of a job id and is no job's may be a host. `common` outlives this.
  StoreHosts(const cli::CommonOptions& common, bool fallback) : common_(common), fallback_(fallback) {}

  /// The hosts that `source` stands for: `instance`, `local`, `avail`, or the id of a job. Nothing where it
  /// is a list of hosts itself: so is `f1` where there is no store, hence no job. Throws Error{not_found} for
  /// a job that there is not.
  [[nodiscard]] std::optional<notation::Hostlist> find(const std::string& source);

  /// The hosts of the job within which this process runs, or all of the store.
  [[nodiscard]] notation::Hostlist local();

 private:
  /// Opens the store for the first source that needs it.
  [[nodiscard]] const door::Door& door();
  [[nodiscard]] notation::Hostlist all();
  [[nodiscard]] notation::Hostlist available();
  [[nodiscard]] notation::Hostlist of_job(notation::JobId id);

  const cli::CommonOptions& common_;
  bool fallback_;
  std::optional<tools::StoreSession> store_;
};

}  // namespace fq::tools::hostlist
