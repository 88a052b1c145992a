// The names of the shell options, for submissions: a misspelt one would be a silent no-op.

#include <algorithm>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "document/jobspec/shell_options.h"

namespace fq::document {
namespace {

using nlohmann::json;

/// Every option as its path from the object of options; `*` at the end stands for any names below.
/// `batch-timeout`, which --unbuffered sets, is Flux's and needs nothing here: output is written through.
constexpr std::string_view kOptionNames[] = {
    "batch",
    "cpu-affinity",
    "dump",
    "env-expand.*",
    "exit-on-error",
    "exit-timeout",
    "gpu-affinity",
    "input.batch-timeout",
    "input.stdin.path",
    "input.stdin.ranks",
    "input.stdin.type",
    "mem-affinity",
    "mpi",
    "nosetpgrp",
    "oom.adjust",
    "output.batch-timeout",
    "output.limit",
    "output.mode",
    "output.stderr.buffer.type",
    "output.stderr.label",
    "output.stderr.path",
    "output.stderr.type",
    "output.stdout.buffer.type",
    "output.stdout.label",
    "output.stdout.path",
    "output.stdout.type",
    "per-resource.count",
    "per-resource.type",
    "pmi",
    "pty",
    "pty.capture",
    "pty.columns",
    "pty.interactive",
    "pty.ranks",
    "pty.rows",
    "rlimit.*",
    "signal",
    "signal.signum",
    "signal.timeleft",
    "stop-tasks-in-exec",
    "taskmap.scheme",
    "taskmap.value",
    "umask",
    "verbose",
};

bool is_known(std::string_view path) {
  return std::find(std::begin(kOptionNames), std::end(kOptionNames), path) != std::end(kOptionNames);
}

/// Whether options lie below `path`.
bool leads_on(std::string_view path) {
  return std::any_of(std::begin(kOptionNames), std::end(kOptionNames), [&](std::string_view name) {
    return name.size() > path.size() && name.starts_with(path) && name[path.size()] == '.';
  });
}

/// `value` stands at `path`; names below it tell what is meant as well: `outpt.limit`.
std::string name_hint(const std::string& path, const json& value) {
  static const std::vector<std::string> kCandidates(std::begin(kOptionNames), std::end(kOptionNames));
  std::string whole = path;
  for (const json* at = &value; at->is_object() && at->size() == 1; at = &at->begin().value()) {
    whole += "." + at->begin().key();
  }
  return did_you_mean(whole, kCandidates);
}

void check_names(const JsonAt& root, const json& value, const std::string& path) {
  if (is_known(path + ".*") || (is_known(path) && !(leads_on(path) && value.is_object()))) return;
  if (!leads_on(path)) {
    throw Error{Kind::invalid, root.fail(fmt::format("unknown shell option {}", quote(path))).what(),
                name_hint(path, value)};
  }
  if (!value.is_object()) {
    throw root.fail(
        fmt::format("shell option {} is a group of options, got {}", quote(path), json_type_name(value)));
  }
  for (const auto& [name, member] : value.items()) check_names(root, member, path + "." + name);
}

}  // namespace

void check_shell_options(const JsonAt& options) {
  for (const auto& [name, value] : options.object().value().items()) check_names(options, value, name);
  static_cast<void>(parse_shell_options(options));
}

}  // namespace fq::document
