// The tags in output paths, commands and variables: `{{id}}`, `{{taskid}}`, … as Flux's shell knows them.
//
//   id, id.FORM, jobid…     the job id; FORM is f58, dec, hex, dothex, kvs, emoji (f58 alone)
//   name  size  ntasks  nnodes  tmpdir
//   taskid  task.id  task.rank  task.index  task.localid
//   node.id  node.name  node.cores  node.gpus  node.ncores  node.ngpus  node.resources (these, as JSON)
//
// Text that is not one of these is kept as it stands.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/jobspec/task_plan.h"
#include "notation/fluid.h"

namespace fq::document {

/// What the tags stand for. Pointers must stay valid while it is used.
struct TemplateValues {
  notation::JobId id;
  std::string id_text;  ///< the id as `{{id}}` shows it
  std::string name;
  std::string tmpdir;
  const TaskPlan* plan = nullptr;
  const PlannedTask* task = nullptr;  ///< null where no task is meant; its tags then stay
  const PlannedNode* node = nullptr;  ///< likewise
};

[[nodiscard]] std::string render(std::string_view text, const TemplateValues& values);

/// Every tag there is.
[[nodiscard]] const std::vector<std::string>& tag_names();
/// What stands between double braces in `text` and is no tag.
[[nodiscard]] std::vector<std::string> unknown_tags(std::string_view text);

}  // namespace fq::document
