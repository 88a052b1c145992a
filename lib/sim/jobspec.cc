#include "sim/jobspec.h"

#include <string_view>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace fq::sim {
namespace {

void add_word(std::string& out, std::string_view key, const std::string& word) {
  if (!word.empty()) out += fmt::format(",\"{}\":{}", key, dump_json(nlohmann::json(word)));
}

}  // namespace

std::string jobspec_of(const TraceJob& job, const std::string& queue, const std::string& dependencies) {
  std::string slot =
      fmt::format(R"({{"type":"slot","count":{},"label":"task","with":[{{"type":"core","count":{}}}{}]}})",
                  job.nodes == 0 ? job.processors : (job.processors + job.nodes - 1) / job.nodes, job.cores,
                  job.gpus == 0 ? std::string{} : fmt::format(R"(,{{"type":"gpu","count":{}}})", job.gpus));
  if (job.nodes > 0) {
    slot = fmt::format(R"({{"type":"node","count":{}{},"with":[{}]}})", job.nodes,
                       job.exclusive ? R"(,"exclusive":true)" : "", slot);
  }
  std::string text = fmt::format(
      R"({{"version":1,"resources":[{}],"tasks":[{{"command":["sim"],"slot":"task","count":{{"per_slot":1}}}}],)"
      R"("attributes":{{"system":{{"duration":{},"cwd":"/")",
      slot, job.limit);
  add_word(text, "queue", queue);
  add_word(text, "bank", job.bank);
  add_word(text, "project", job.project);
  add_word(text, "qos", job.qos);
  if (!job.constraint.empty()) text += ",\"constraints\":" + job.constraint;
  if (!dependencies.empty()) text += ",\"dependencies\":[" + dependencies + "]";
  return text + "}}}";
}

}  // namespace fq::sim
