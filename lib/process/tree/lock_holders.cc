#include "process/tree/lock_holders.h"

#include <cerrno>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "notation/fluid.h"
#include "process/tree/job_mark.h"

namespace fq::process {
namespace {

bool is_job_file_name(const std::string& name) {
  try {
    return notation::to_dothex(notation::parse_job_id(name)) == name;
  } catch (const Error&) {
    return false;
  }
}

/// Whether a descriptor that /proc shows to be open on `target` may be one of those by which programs of fq
/// hold a store: STORE/alive/ID, STORE/waker, STORE/merge/lock. A shell that has ended its job has unlinked
/// the first.
bool names_a_lock(const std::string& target) {
  constexpr std::string_view kDeleted = " (deleted)";
  const std::filesystem::path path{
      target.ends_with(kDeleted) ? target.substr(0, target.size() - kDeleted.size()) : target};
  const std::string name = path.filename().string();
  const std::string directory = path.parent_path().filename().string();
  return name == "waker" || (name == "lock" && directory == "merge") ||
         (directory == "alive" && is_job_file_name(name));
}

/// Whether somebody holds the file's lock. Opened anew: a lock belongs to the open file.
bool is_held(const std::string& path) {
  const UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  return fd.valid() && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool holds_a_store(pid_t pid) {
  const std::string directory = fmt::format("/proc/{}/fd", pid);
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failure)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), failure).string();
    if (!failure && names_a_lock(target) && is_held(entry.path().string())) return true;
    failure.clear();
  }
  return false;
}

}  // namespace

bool serves_others(const ProcessStat& process) {
  return process.session != ::getsid(0) && !environment_has(process.pid, fmt::format("{}=", kMarkName)) &&
         holds_a_store(process.pid);
}

}  // namespace fq::process
