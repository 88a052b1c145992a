// The GPUs of other jobs, which a job's processes cannot open. A user cannot undo what hides them: it is a
// mount of the namespace around.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fq::imp {

struct GpuFiles {
  std::string shown;                ///< those of R, as an idset; empty where none is hidden
  std::vector<std::string> hidden;  ///< device files
};

/// Of this machine's GPUs, which are counted in the order of their places on the bus as R counts them, the
/// device files of those that R does not give. None where R has others than are found here.
[[nodiscard]] GpuFiles gpus_beside(std::string_view R);

/// Has these device files refuse to be opened in this mount namespace. False where that failed.
[[nodiscard]] bool hide(const std::vector<std::string>& files);

}  // namespace fq::imp
