#include "cli/frame/job_instance.h"

#include <cstdlib>

#include "meeting/enclosure.h"
#include "process/tree/job_mark.h"

namespace fq::cli {
namespace {

std::string variable(std::string_view name) {
  const char* value = std::getenv(std::string{name}.c_str());
  return value != nullptr ? value : "";
}

}  // namespace

bool is_job_instance(const std::string& path) {
  const std::string tmpdir = variable("FQ_JOB_TMPDIR");
  return !tmpdir.empty() && path == meeting::instance_path(tmpdir) &&
         !variable(meeting::kParentName).empty() && !variable(process::kMarkName).empty();
}

std::optional<std::string> store_around_instance() {
  const std::string store = variable("FQ_STORE");
  if (store.empty() || !is_job_instance(store)) return std::nullopt;
  return variable(meeting::kParentName);
}

}  // namespace fq::cli
