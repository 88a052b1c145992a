#include "meeting/checked_jobspec.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "document/jobspec/requeue.h"
#include "document/jobspec/shell_options.h"
#include "document/resource/constraint.h"
#include "meeting/tmpdir.h"

namespace fq::meeting {

using document::Jobspec;

std::vector<document::Dependency> dependencies_of(const Jobspec& jobspec) {
  if (jobspec.dependencies() == nullptr) return {};
  return document::dependencies_from_json(JsonAt{*jobspec.dependencies(), "attributes.system.dependencies"});
}

Jobspec checked_jobspec(std::string_view text) {
  Jobspec jobspec = Jobspec::parse(text);
  document::check_shell_options(jobspec);
  check_job_files(jobspec);
  static_cast<void>(dependencies_of(jobspec));
  static_cast<void>(document::allowed_requeues(jobspec));
  if (jobspec.constraints() != nullptr) {
    const JsonAt constraints{*jobspec.constraints(), "attributes.system.constraints"};
    document::require_job_constraint_size(constraints);
    static_cast<void>(document::Constraint::parse(constraints));
  }
  return jobspec;
}

}  // namespace fq::meeting
