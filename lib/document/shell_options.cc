#include "document/shell_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "notation/fsd.h"

namespace fq::document {

using nlohmann::json;
using notation::Idset;

namespace {

constexpr const char* kPath = "jobspec: attributes.system.shell.options";
constexpr std::uint64_t kMaxOutputLimit = std::uint64_t{1} << 40;

/// `PATH: expected …, got 'apend'`, with the word that was meant as hint.
Error unknown_word(const JsonAt& at, std::string_view expected, std::string_view got,
                   const std::vector<std::string>& words) {
  return Error{Kind::invalid, at.fail(fmt::format("{}, got {}", expected, quote(got))).what(),
               did_you_mean(got, words)};
}

/// `PATH: missing key 'path'`: with it the options are right.
Error path_missing(const JsonAt& at) {
  return Error{Kind::combination, at.fail("missing key 'path'").what()};
}

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

/// `-o NAME` gives 1, a document may have true.
bool as_switch(const JsonAt& at) {
  if (at.value().is_boolean()) return at.as_boolean();
  if (at.value().is_number_integer()) return at.as_integer() != 0;
  throw at.fail("expected true or false");
}

double as_seconds(const JsonAt& at) {
  if (at.value().is_number()) {
    const double seconds = at.as_number();
    if (seconds < 0) throw at.fail("expected a duration that is not negative");
    return seconds;
  }
  try {
    return notation::parse_fsd(at.as_string());
  } catch (const Error& failure) {
    throw failure.within(at.path());
  }
}

/// A number with an optional suffix k, K, M or G.
std::uint64_t as_size(const JsonAt& at) {
  if (at.value().is_number()) return static_cast<std::uint64_t>(at.as_integer(0, kMaxOutputLimit));
  std::string_view text = at.as_string();
  double factor = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k':
      case 'K':
        factor = 1024;
        break;
      case 'M':
        factor = 1024.0 * 1024;
        break;
      case 'G':
        factor = 1024.0 * 1024 * 1024;
        break;
      default:
        break;
    }
    if (factor > 1) text.remove_suffix(1);
  }
  const std::string number{text};
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0' || !(value >= 0) ||
      value * factor > static_cast<double>(kMaxOutputLimit)) {
    throw at.fail("expected a size as `50M`, with k, M or G");
  }
  return static_cast<std::uint64_t>(value * factor);
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

void parse_stream(const JsonAt& at, StreamOption& stream) {
  at.object();
  const auto type = at.find("type");
  if (type) {
    const std::string& name = type->as_string();
    if (name != "kvs" && name != "file") {
      throw type->fail(fmt::format("expected kvs or file, got {}", quote(name)));
    }
  }
  if (const auto path = at.find("path")) {
    stream.path = path->as_string();
    if (stream.path.find('\0') != std::string::npos) throw path->fail("a path has no NUL character");
  }
  if (type && type->as_string() == "kvs") stream.path.clear();
  if (type && type->as_string() == "file" && stream.path.empty()) throw path_missing(at);
  if (const auto label = at.find("label")) stream.label = as_switch(*label);
  if (const auto buffer = at.find("buffer")) {
    if (const auto kind = buffer->find("type")) {
      const std::string& name = kind->as_string();
      if (name != "none" && name != "line") {
        throw kind->fail(fmt::format("expected none or line, got {}", quote(name)));
      }
      stream.line_buffered = name == "line";
    }
  }
}

void parse_output(const JsonAt& at, ShellOptions& options) {
  at.object();
  if (const auto timeout = at.find("batch-timeout")) static_cast<void>(as_seconds(*timeout));
  if (const auto mode = at.find("mode")) {
    const std::string& name = mode->as_string();
    if (name != "truncate" && name != "append") {
      throw unknown_word(*mode, "expected truncate or append", name, {"truncate", "append"});
    }
    options.append = name == "append";
  }
  if (const auto limit = at.find("limit")) options.output_limit = as_size(*limit);
  if (const auto out = at.find("stdout")) parse_stream(*out, options.out);
  // But for its buffering, stderr goes the way of stdout unless it is told otherwise.
  const bool line_buffered = options.err.line_buffered;
  options.err = options.out;
  options.err.line_buffered = line_buffered;
  if (const auto err = at.find("stderr")) parse_stream(*err, options.err);
}

document::OutputRanks parse_ranks(const JsonAt& at) {
  try {
    if (at.value().is_number())
      return document::OutputRanks::decode(std::to_string(at.as_integer(0, INT32_MAX)));
    return document::OutputRanks::decode(at.as_string());
  } catch (const Error& failure) {
    throw failure.within(at.path());
  }
}

void parse_input(const JsonAt& at, ShellOptions& options) {
  at.object();
  if (const auto timeout = at.find("batch-timeout")) static_cast<void>(as_seconds(*timeout));
  const auto input = at.find("stdin");
  if (!input) return;
  input->object();
  const auto path = input->find("path");
  std::string type = path ? "file" : "service";
  if (const auto named = input->find("type")) type = named->as_string();
  if (type == "file") {
    if (!path) throw path_missing(*input);
    options.stdin_path = path->as_string();
    if (options.stdin_path.find('\0') != std::string::npos) throw path->fail("a path has no NUL character");
  } else if (type == "service") {
    options.stdin_service = true;
    options.stdin_ranks.all = true;
    if (const auto ranks = input->find("ranks")) options.stdin_ranks = parse_ranks(*ranks);
  } else {
    throw input->at("type").fail(fmt::format("expected file or service, got {}", quote(type)));
  }
}

/// `pty` alone is all tasks, captured; `pty.interactive` task 0, not captured.
std::optional<PtyOption> parse_pty(const JsonAt& at) {
  PtyOption pty;
  pty.ranks.all = true;
  if (!at.value().is_object()) return as_switch(at) ? std::optional{pty} : std::nullopt;
  if (const auto interactive = at.find("interactive")) pty.interactive = as_switch(*interactive);
  if (pty.interactive) {
    pty.ranks = document::OutputRanks::decode("0");
    pty.capture = false;
  }
  if (const auto ranks = at.find("ranks")) pty.ranks = parse_ranks(*ranks);
  if (const auto capture = at.find("capture")) pty.capture = as_switch(*capture);
  const auto take_size = [&at](const char* name, std::uint16_t& size) {
    if (const auto given = at.find(name)) size = static_cast<std::uint16_t>(given->as_integer(1, UINT16_MAX));
  };
  take_size("rows", pty.rows);
  take_size("columns", pty.columns);
  if (pty.interactive && !pty.ranks.contains(0)) {
    throw at.at("ranks").fail("the interactive terminal is task 0's, which is not among these");
  }
  return pty;
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
    if (std::isfinite(seconds)) options.exit_timeout = seconds;
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

}  // namespace fq::document
