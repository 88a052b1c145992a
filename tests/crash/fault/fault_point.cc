// Ends the process at a point that a test has armed by a file of its name, or stops it there where the file
// says `stop`; each arming does so to one process.

#include "base/fault_point.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "crash/fault/armed.h"

namespace fq {

namespace fault {

std::string armed_path(std::string_view name) {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  return failure ? std::string{} : (self.parent_path() / "fault" / name).string();
}

}  // namespace fault

void fault_point(std::string_view name) {
  const std::string path = fault::armed_path(name);
  std::string effect;
  std::ifstream(path) >> effect;
  // Of all processes that pass the point, one gets to unlink the file.
  if (::unlink(path.c_str()) == 0) ::raise(effect == "stop" ? SIGSTOP : SIGKILL);
}

}  // namespace fq
