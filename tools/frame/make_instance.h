// Making the instance of a job (cli/frame/job_instance.h).

#pragma once

#include <string>

namespace fq::tools {

/// Makes it, with the resources that the job has, and the configuration that `fq batch --conf` brought along.
/// Somebody else may make it at the same time. Throws Error.
void make_job_instance(const std::string& path);

}  // namespace fq::tools
