#include "document/jobspec/shell_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "document/jobspec/shell_option_values.h"
#include "notation/fsd.h"

namespace fq::document {

using nlohmann::json;
using notation::Idset;

namespace {

constexpr const char* kPath = "jobspec: attributes.system.shell.options";

/// What options lack is a fault of the document where nothing else can give it.
template <typename Step>
auto of_document(Step step) {
  try {
    return step();
  } catch (const Error& failure) {
    if (failure.kind() != Kind::combination) throw;
    throw Error{Kind::invalid, failure.what(), failure.hint()};
  }
}

Idset parse_ids(std::string_view text, const JsonAt& at) {
  Idset ids;
  try {
    for (const std::string_view part : split(text, ',')) {
      const Idset some = Idset::decode(trim(part));
      for (const Idset::Range& range : some.ranges()) ids.insert(range.first, range.last);
    }
  } catch (const Error& failure) {
    throw at.fail(failure.what());
  }
  if (ids.empty()) throw at.fail("expected a list of ids for each task, as `map:0-1;2-3`");
  return ids;
}

std::vector<Idset> parse_map(std::string_view list, const JsonAt& at) {
  std::vector<Idset> map;
  for (const std::string_view each : split(list, ';')) map.push_back(parse_ids(each, at));
  return map;
}

MemoryAffinity parse_memory_affinity(const JsonAt& at) {
  if (at.value().is_boolean() || at.value().is_number())
    return as_switch(at) ? MemoryAffinity::on : MemoryAffinity::off;
  const std::string& text = at.as_string();
  if (text == "on") return MemoryAffinity::on;
  if (text == "off") return MemoryAffinity::off;
  if (text == "bind") return MemoryAffinity::bind;
  throw unknown_word(at, "expected on, off or bind", text, {"on", "off", "bind"});
}

AffinityOption parse_affinity(const JsonAt& at) {
  AffinityOption option;
  if (at.value().is_boolean() || at.value().is_number()) {
    option.mode = as_switch(at) ? AffinityOption::Mode::on : AffinityOption::Mode::off;
    return option;
  }
  std::string_view text = at.as_string();
  // Flux lets these come first; what is done is the same.
  for (const std::string_view word : {"verbose,", "dry-run,"}) {
    if (text.starts_with(word)) text.remove_prefix(word.size());
  }
  if (text == "on" || text == "verbose" || text == "dry-run") return option;
  if (text == "off") {
    option.mode = AffinityOption::Mode::off;
  } else if (text == "per-task") {
    option.mode = AffinityOption::Mode::per_task;
  } else if (text.starts_with("map:")) {
    option.mode = AffinityOption::Mode::map;
    option.map = parse_map(text.substr(4), at);
  } else {
    throw unknown_word(at, "expected on, off, per-task or map:LIST", text, {"on", "off", "per-task"});
  }
  return option;
}

std::vector<SoftLimit> parse_rlimits(const JsonAt& at) {
  std::vector<SoftLimit> limits;
  for (const auto& [name, value] : at.object().value().items()) {
    const JsonAt each = at.at(name);
    const auto resource = rlimit_by_name(name);
    if (!resource) {
      std::vector<std::string> known;
      for (const RlimitName& rlimit : rlimit_names()) known.emplace_back(rlimit.name);
      throw Error{Kind::invalid, fmt::format("{}: no such limit", each.path()), did_you_mean(name, known)};
    }
    // Unlimited may have been written as the number that getrlimit gives.
    const bool huge = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
    limits.push_back({name, *resource, huge ? SoftLimit::kInfinity : each.as_integer(-1, INT64_MAX)});
  }
  return limits;
}

mode_t parse_umask(const JsonAt& at) {
  // The digits of a number, as -o umask=27 and YAML make it, are octal too.
  const std::string text = at.value().is_number() ? dump_json(at.value()) : at.as_string();
  char* end = nullptr;
  const unsigned long value = std::strtoul(text.c_str(), &end, 8);
  const bool octal = !text.empty() && text.find_first_not_of("01234567") == std::string::npos && *end == '\0';
  if (!octal || value > 0777) throw at.fail("expected an octal number from 0 to 0777");
  return static_cast<mode_t>(value);
}

WarningSignal parse_signal(const JsonAt& at) {
  WarningSignal signal;
  if (!at.value().is_object()) return signal;
  if (const auto number = at.find("signum")) signal.signum = static_cast<int>(number->as_integer(1, 64));
  if (const auto left = at.find("timeleft")) signal.timeleft = as_seconds(*left);
  return signal;
}

TaskmapOption parse_taskmap(const JsonAt& at) {
  TaskmapOption option;
  const JsonAt scheme = at.at("scheme");
  const std::string& name = scheme.as_string();
  const auto value = at.find("value");
  const std::string text = value ? value->as_string() : "";
  if (name == "cyclic") {
    option.scheme = TaskmapOption::Scheme::cyclic;
    const auto stride = parse_u64(text.empty() ? "1" : text);
    if (!stride || *stride == 0 || *stride > document::Taskmap::kMaxTasks) {
      throw value->fail(
          fmt::format("expected the number of tasks that a node gets at a time, got {}", quote(text)));
    }
    option.stride = static_cast<std::uint32_t>(*stride);
  } else if (name == "manual") {
    option.scheme = TaskmapOption::Scheme::manual;
    if (text.empty()) throw at.fail("manual needs a map, as `manual:[[0,2,1,2]]`");
    try {
      option.map = document::Taskmap::decode(text);
    } catch (const Error& failure) {
      throw at.fail(failure.what());
    }
    if (option.map.unknown()) throw at.fail("the map has no tasks");
  } else if (name != "block") {
    throw unknown_word(scheme, "expected block, cyclic or manual", name, {"block", "cyclic", "manual"});
  } else if (!text.empty()) {
    throw value->fail("block takes no value");
  }
  return option;
}

/// What Flux calls its ways of bootstrap, in a list of which the last counts; only one of them is here.
ShellOptions::Pmi parse_pmi(const JsonAt& at) {
  auto pmi = ShellOptions::Pmi::automatic;
  for (const std::string_view word : split(at.as_string(), ',')) {
    if (word == "off" || word == "none") {
      pmi = ShellOptions::Pmi::off;
    } else if (word == "simple") {
      pmi = ShellOptions::Pmi::simple;
    } else {
      throw unknown_word(at, "expected simple or off", word, {"simple", "off"});
    }
  }
  return pmi;
}

/// `mpi=none` is no bootstrap; the others need no more than PMI.
void parse_mpi(const JsonAt& at, ShellOptions& options) {
  const std::string& name = at.as_string();
  if (name == "none") {
    options.pmi = ShellOptions::Pmi::off;
  } else if (name != "mpich" && name != "intel" && name != "mvapich") {
    throw unknown_word(at, "expected none, mpich, intel or mvapich", name,
                       {"none", "mpich", "intel", "mvapich"});
  }
}

bool switched_on(const JsonAt& at) {
  return at.value().is_object() || as_switch(at);
}

}  // namespace

bool is_archive_name(std::string_view path) {
  constexpr std::array<std::string_view, 8> kSuffixes{".tar",     ".tgz",    ".tar.gz",  ".tar.bz2",
                                                      ".tar.zst", ".tar.xz", ".tar.lz4", ".txz"};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(kSuffixes, [&](std::string_view suffix) {
    return name.size() > suffix.size() && name.ends_with(suffix);
  });
}

ShellOptions parse_shell_options(const JsonAt& at) {
  ShellOptions options;
  options.err.line_buffered = false;
  at.object();
  if (const auto o = at.find("cpu-affinity")) options.cpu_affinity = parse_affinity(*o);
  if (const auto o = at.find("gpu-affinity")) options.gpu_affinity = parse_affinity(*o);
  if (const auto o = at.find("mem-affinity")) options.memory_affinity = parse_memory_affinity(*o);
  if (const auto o = at.find("output")) parse_output(*o, options);
  if (const auto o = at.find("input")) parse_input(*o, options);
  if (const auto o = at.find("pty")) options.pty = parse_pty(*o);
  if (const auto o = at.find("taskmap")) options.taskmap = parse_taskmap(*o);
  if (const auto o = at.find("pmi")) options.pmi = parse_pmi(*o);
  if (const auto o = at.find("mpi")) parse_mpi(*o, options);
  if (const auto o = at.find("verbose")) options.verbose = as_switch(*o);
  if (const auto o = at.find("stop-tasks-in-exec")) options.stop_in_exec = as_switch(*o);
  if (const auto o = at.find("rlimit")) options.rlimits = parse_rlimits(*o);
  if (const auto o = at.find("umask")) options.umask = parse_umask(*o);
  if (const auto o = at.find("oom")) {
    if (const auto adjust = o->find("adjust")) {
      options.oom_adjust = static_cast<int>(adjust->as_integer(-1000, 1000));
    }
  }
  if (const auto o = at.find("nosetpgrp")) options.new_process_group = !as_switch(*o);
  if (const auto o = at.find("exit-on-error")) options.exit_on_error = as_switch(*o);
  if (const auto o = at.find("exit-timeout")) {
    const bool none = o->value().is_string() && o->as_string() == "none";
    const double seconds = none ? std::numeric_limits<double>::infinity() : as_seconds(*o);
    options.exit_timeout = std::isfinite(seconds) ? std::optional{seconds} : std::nullopt;
    options.exit_timeout_is_asked = true;
  }
  if (const auto o = at.find("signal"); o && switched_on(*o)) options.signal = parse_signal(*o);
  if (const auto o = at.find("dump")) {
    options.dump = o->as_string();
    if (!is_archive_name(options.dump))
      throw o->fail(fmt::format("expected the name of an archive, as 'run.tgz' or 'run.tar.zst', got {}",
                                quote(options.dump)));
  }
  if (const auto o = at.find("env-expand")) {
    for (const auto& [name, value] : o->object().value().items()) {
      options.env_expand.emplace_back(name, o->at(name).as_string());
    }
  }
  return options;
}

ShellOptions parse_shell_options(const document::Jobspec& jobspec) {
  static const json kNone = json::object();
  const json* document = jobspec.shell_options();
  return of_document([&] {
    return parse_shell_options(JsonAt{document != nullptr ? *document : kNone, kPath});
  });
}

void check_shell_options(const document::Jobspec& jobspec) {
  if (const json* document = jobspec.shell_options()) {
    of_document([&] { check_shell_options(JsonAt{*document, kPath}); });
  }
}

std::optional<double> ShellOptions::patience_after(int wait_status) const {
  return wait_status != 0 || exit_timeout_is_asked ? exit_timeout : std::nullopt;
}

void check_tasks_named(const ShellOptions& options, std::uint64_t ntasks) {
  if (!options.pty || options.pty->ranks.all || options.pty->ranks.ids.empty()) return;
  const std::uint32_t last = options.pty->ranks.ids.last();
  if (last < ntasks) return;
  throw error(Kind::combination, "pty.ranks: there is no task {}, the job has {}", last,
              ntasks == 1 ? "task 0 alone" : fmt::format("tasks 0-{}", ntasks - 1));
}

}  // namespace fq::document
