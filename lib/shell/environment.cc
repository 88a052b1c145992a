#include "shell/environment.h"

#include <map>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "meeting/enclosure.h"
#include "process/tree/job_mark.h"

namespace fq::shell {

using nlohmann::json;

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

// What an enclosing job told its own tasks is not true of this one's.
constexpr std::string_view kNotInherited[] = {
    "FLUX_KVS_NAMESPACE", "FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID", "PMI_RANK",
    "PMI_SIZE",           "PMI_FD",         "PMI_SPAWNED",        "FLUX_PMI_LIBRARY_PATH",
};

// Open MPI takes FLUX_JOB_ID for word that Flux has started it, and asks the library of PMI. Its own mpirun
// must not.
constexpr std::string_view kMpiChoice = "OMPI_MCA_pmix";
constexpr std::string_view kNoFluxMpi = "^flux";
constexpr std::string_view kMpiHostFiles[] = {"OMPI_MCA_orte_default_hostfile",
                                              "PRTE_MCA_prte_default_hostfile"};
constexpr std::string_view kHydraHostFile = "HYDRA_HOST_FILE";

// By the versions before 5, and since.
constexpr std::string_view kMpiMemory[] = {"OMPI_MCA_btl_vader_backing_directory",
                                           "OMPI_MCA_btl_sm_backing_directory"};

// What parallel programs look for. What the user chose holds, what an enclosing job chose does not.
void set_bootstrap(std::map<std::string, std::string, std::less<>>& variables, const JobEnvironment& job) {
  if (const auto choice = variables.find(kMpiChoice);
      choice != variables.end() && choice->second == kNoFluxMpi) {
    variables.erase(choice);
    for (const std::string_view name : kMpiHostFiles) variables.erase(std::string{name});
    variables.erase(std::string{kHydraHostFile});
  }
  if (!job.pmi_library.empty()) variables["FLUX_PMI_LIBRARY_PATH"] = job.pmi_library;
  if (job.host_file.empty()) return;
  if (!variables.emplace(kMpiChoice, kNoFluxMpi).second) return;
  for (const std::string_view name : kMpiHostFiles) variables.emplace(name, job.host_file);
  variables.emplace(kHydraHostFile, job.host_file + std::string{kHydraEnding});
}

Variables submitted(const document::Jobspec& jobspec) {
  Variables variables;
  if (const json* environment = jobspec.environment()) {
    for (const auto& [name, value] : environment->items()) {
      if (value.is_string()) variables[name] = value.get_ref<const std::string&>();
    }
  }
  for (const std::string_view name : kNotInherited) variables.erase(std::string{name});
  if (const auto enclosing = variables.find("FLUX_JOB_TMPDIR"); enclosing != variables.end()) {
    for (const std::string_view name : kMpiMemory) {
      const auto memory = variables.find(name);
      if (memory != variables.end() && memory->second.starts_with(enclosing->second)) variables.erase(memory);
    }
  }
  return variables;
}

void set_both(Variables& variables, std::string_view name, const std::string& value) {
  variables[fmt::format("FLUX_{}", name)] = value;
  variables[fmt::format("FQ_{}", name)] = value;
}

/// `0,1`: CUDA takes no ranges, and counts those that it can open.
std::string gpu_list(const notation::Idset& gpus, const std::optional<notation::Idset>& shown) {
  std::vector<std::string> ids;
  std::uint32_t place = 0;
  (shown ? *shown : gpus).for_each([&](std::uint32_t id) {
    if (gpus.contains(id)) ids.push_back(std::to_string(shown ? place : id));
    ++place;
  });
  return ids.empty() ? "-1" : join(ids, ",");
}

const notation::Idset& gpus_of(const document::PlannedTask& task, const document::PlannedNode& node,
                               const document::AffinityOption& option) {
  switch (option.mode) {
    case document::AffinityOption::Mode::per_task:
      return task.gpus;
    case document::AffinityOption::Mode::map:
      return option.map[task.local_id % option.map.size()];
    default:
      return node.gpus;
  }
}

}  // namespace

std::string job_id_text(notation::JobId id, const document::Jobspec& jobspec) {
  const Variables variables = submitted(jobspec);
  const auto get = [&](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  const bool ascii =
      notation::f58_wants_ascii(get("FLUX_F58_FORCE_ASCII"), get("LC_ALL"), get("LC_CTYPE"), get("LANG"));
  // The prefix is `ƒ`, two bytes in UTF-8, or `f`.
  const std::string plain = notation::to_f58_ascii(id);
  return ascii ? plain : "\xc6\x92" + plain.substr(1);
}

std::string shared_memory_dir(const std::string& tmpdir, const document::TaskPlan& plan, std::uint32_t node) {
  return plan.nodes.size() == 1 ? tmpdir : fmt::format("{}/memory.{}", tmpdir, node);
}

std::vector<std::string> task_environment(const document::Jobspec& jobspec, const document::TaskPlan& plan,
                                          std::uint32_t task, const document::ShellOptions& options,
                                          const JobEnvironment& job,
                                          const document::TemplateValues& templates) {
  const document::PlannedTask& planned = plan.tasks[task];
  const document::PlannedNode& node = plan.nodes[planned.node];
  Variables variables = submitted(jobspec);
  document::TemplateValues values = templates;
  values.plan = &plan;
  values.task = &planned;
  values.node = &node;
  for (const auto& [name, text] : options.env_expand) variables[name] = document::render(text, values);

  set_both(variables, "JOB_ID", job_id_text(job.id, jobspec));
  set_both(variables, "JOB_SIZE", std::to_string(plan.tasks.size()));
  set_both(variables, "JOB_NNODES", std::to_string(plan.nodes.size()));
  set_both(variables, "JOB_NSLOTS", std::to_string(jobspec.counts().nslots));
  set_both(variables, "JOB_TMPDIR", job.tmpdir);
  set_both(variables, "JOB_GUEST_DIR", job.guest_dir);
  set_both(variables, "TASK_RANK", std::to_string(planned.rank));
  set_both(variables, "TASK_LOCAL_ID", std::to_string(planned.local_id));
  variables.erase("FQ_JOB_CC");
  if (const auto copy = variables.find("FLUX_JOB_CC"); copy != variables.end()) {
    variables["FQ_JOB_CC"] = copy->second;
  }
  // Commands of a batch job work in an instance of its own.
  variables["FQ_STORE"] = jobspec.batch() ? meeting::instance_path(job.tmpdir) : job.store;
  const std::string& parent = jobspec.batch() ? job.store : job.parent;
  if (parent.empty()) {
    variables.erase(std::string{meeting::kParentName});
  } else {
    variables[std::string{meeting::kParentName}] = parent;
  }
  variables.erase(std::string{meeting::kGpusShownName});
  if (job.gpus_shown) variables[std::string{meeting::kGpusShownName}] = job.gpus_shown->encode();
  set_bootstrap(variables, job);
  if (job.shares_memory) {
    for (const std::string_view name : kMpiMemory)
      variables.emplace(name, shared_memory_dir(job.tmpdir, plan, planned.node));
  }
  variables[std::string{process::kMarkName}] =
      process::job_mark(job.store_identity, job.id) + std::to_string(job.attempt);
  if (options.gpu_affinity.mode != document::AffinityOption::Mode::off) {
    variables["CUDA_VISIBLE_DEVICES"] =
        gpu_list(gpus_of(planned, node, options.gpu_affinity), job.gpus_shown);
    variables["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  }

  std::vector<std::string> environment;
  environment.reserve(variables.size());
  for (const auto& [name, value] : variables) environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

}  // namespace fq::shell
