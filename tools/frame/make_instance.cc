#include "frame/make_instance.h"

#include <cstdlib>
#include <memory>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/frame/config_input.h"
#include "document/config/config_source.h"
#include "document/resource/resource_set.h"
#include "frame/store_session.h"
#include "manager/engine/store_check.h"
#include "manager/site/initialize.h"
#include "meeting/enclosure.h"
#include "meeting/launch.h"
#include "process/machine/baseline.h"
#include "process/tree/job_mark.h"
#include "request/document.h"

namespace fq::tools {
namespace {

std::string variable(std::string_view name) {
  const char* value = std::getenv(std::string{name}.c_str());
  return value != nullptr ? value : "";
}

// The R of the job as the inventory of an instance inside it: ranks count from 0 (RFC 20).
document::ResourceSet inherited(const std::string& R) {
  auto r = document::ResourceSet::parse(R);
  r.drop_instance_local_properties();
  return r.rerank(r.hostlist());
}

// R of the job: its shell's file, or what is answered where that is another user's, or a queue's instance has
// the job.
std::string r_of(const meeting::Enclosure& enclosure) {
  try {
    const meeting::JobFiles files(enclosure.store);
    if (exists(files.launch(enclosure.job))) return meeting::read_launch(files, enclosure.job).R;
  } catch (const Error& failure) {
    if (failure.kind() != Kind::permission) throw;
  }
  cli::CommonOptions options;
  options.store = enclosure.store;
  const StoreSession around("fq", options);
  return around.get()
      .ask(request::DocumentRequest{enclosure.job, "R", request::JobspecForm::original})
      .bytes->read_all();
}

}  // namespace

void make_job_instance(const std::string& path) {
  meeting::Enclosure enclosure;
  enclosure.store = variable(meeting::kParentName);
  enclosure.job = notation::parse_job_id(variable("FQ_JOB_ID"));
  enclosure.mark = variable(process::kMarkName);
  enclosure.gpus_shown = variable(meeting::kGpusShownName);
  manager::InitRequest request;
  request.store = path;
  request.inventory = inherited(r_of(enclosure));
  request.baseline = process::Baseline::capture().encode();
  request.enclosure = enclosure;
  std::unique_ptr<const document::ConfigSource> config;
  if (const std::string conf = fmt::format("{}/{}", variable("FQ_JOB_TMPDIR"), meeting::kInstanceConfig);
      exists(conf)) {
    config = std::make_unique<const document::ConfigSource>(cli::read_config_files(conf));
    request.config = config.get();
  }
  try {
    manager::initialize(request, manager::Credential::of_process(), SystemClock{});
  } catch (const Error& failure) {
    if (failure.kind() == Kind::refused && manager::store_exists(path)) return;
    throw failure.within("the instance of this job");
  }
}

}  // namespace fq::tools
