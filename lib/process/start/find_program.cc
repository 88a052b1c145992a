#include "process/start/find_program.h"

#include <filesystem>

#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::process {

std::string find_program(std::string_view name) {
  std::error_code failure;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) throw system_error("cannot find the running executable", failure.value());
  const std::filesystem::path directory = self.parent_path();
  std::string installed = (directory.parent_path() / "libexec" / "fq" / name).string();
  if (::access(installed.c_str(), X_OK) == 0) return installed;
  std::string beside = (directory / name).string();
  if (::access(beside.c_str(), X_OK) == 0) return beside;
  throw error(Kind::internal, "cannot find the program {}: neither {} nor {} can be executed", quote(name),
              quote(installed), quote(beside));
}

std::string find_beside(std::string_view name) {
  std::error_code failure;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return {};
  std::string path = (self.parent_path() / name).string();
  return ::access(path.c_str(), R_OK) == 0 ? path : std::string{};
}

}  // namespace fq::process
