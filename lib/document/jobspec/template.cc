#include "document/jobspec/template.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"

namespace fq::document {
namespace {

std::optional<std::string> job_id_tag(std::string_view form, const TemplateValues& values) {
  if (form.empty() || form == ".f58") return values.id_text;
  if (form.front() != '.') return std::nullopt;
  try {
    return notation::format_id(values.id, notation::parse_id_form(form.substr(1)));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<std::string> node_tag(std::string_view name, const TemplateValues& values) {
  if (values.node == nullptr || values.plan == nullptr) return std::nullopt;
  const PlannedNode& node = *values.node;
  if (name == "id") return std::to_string(values.node - values.plan->nodes.data());
  if (name == "resources") {
    return fmt::format(R"({{"cores":"{}","gpus":"{}","ncores":{},"ngpus":{}}})", node.cores.encode(),
                       node.gpus.encode(), node.cores.count(), node.gpus.count());
  }
  if (name == "name") return node.host;
  if (name == "cores") return node.cores.encode();
  if (name == "gpus") return node.gpus.encode();
  if (name == "ncores") return std::to_string(node.cores.count());
  if (name == "ngpus") return std::to_string(node.gpus.count());
  return std::nullopt;
}

std::optional<std::string> task_tag(std::string_view name, const TemplateValues& values) {
  if (values.task == nullptr) return std::nullopt;
  if (name == "id" || name == "rank") return std::to_string(values.task->rank);
  if (name == "index" || name == "localid") return std::to_string(values.task->local_id);
  return std::nullopt;
}

std::optional<std::string> value_of(std::string_view tag, const TemplateValues& values) {
  if (tag.starts_with("jobid")) return job_id_tag(tag.substr(5), values);
  if (tag == "taskid") return task_tag("id", values);
  if (tag.starts_with("task.")) return task_tag(tag.substr(5), values);
  if (tag.starts_with("node.")) return node_tag(tag.substr(5), values);
  if (tag.starts_with("id")) return job_id_tag(tag.substr(2), values);
  if (tag == "name") return values.name;
  if (tag == "tmpdir") return values.tmpdir;
  if (values.plan == nullptr) return std::nullopt;
  if (tag == "nnodes") return std::to_string(values.plan->nodes.size());
  if (tag == "size" || tag == "ntasks") return std::to_string(values.plan->tasks.size());
  return std::nullopt;
}

/// Calls `visit(before, tag)` for each tag, where `before` is the plain text that leads to it, and returns
/// the text after the last one.
template <typename Visit>
std::string_view for_each_tag(std::string_view text, Visit visit) {
  for (;;) {
    const std::size_t open = text.find("{{");
    if (open == std::string_view::npos) return text;
    const std::size_t close = text.find("}}", open);
    if (close == std::string_view::npos) return text;
    visit(text.substr(0, open), text.substr(open + 2, close - open - 2));
    text.remove_prefix(close + 2);
  }
}

}  // namespace

std::string render(std::string_view text, const TemplateValues& values) {
  std::string out;
  const std::string_view rest = for_each_tag(text, [&](std::string_view before, std::string_view tag) {
    out += before;
    if (const auto value = value_of(tag, values)) {
      out += *value;
    } else {
      out.append("{{").append(tag).append("}}");
    }
  });
  return out.append(rest);
}

const std::vector<std::string>& tag_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names{"name",       "size",           "ntasks",     "nnodes",     "tmpdir",
                                   "taskid",     "task.id",        "task.rank",  "task.index", "task.localid",
                                   "node.id",    "node.name",      "node.cores", "node.gpus",  "node.ncores",
                                   "node.ngpus", "node.resources", "id",         "jobid"};
    for (const std::string_view form : {"f58", "f58plain", "dec", "hex", "dothex", "kvs", "emoji"}) {
      names.push_back(fmt::format("id.{}", form));
      names.push_back(fmt::format("jobid.{}", form));
    }
    return names;
  }();
  return kNames;
}

std::vector<std::string> unknown_tags(std::string_view text) {
  std::vector<std::string> unknown;
  for_each_tag(text, [&](std::string_view, std::string_view tag) {
    const std::vector<std::string>& known = tag_names();
    if (std::find(known.begin(), known.end(), tag) == known.end()) unknown.emplace_back(tag);
  });
  return unknown;
}

}  // namespace fq::document
