#include "cli/submit/jobspec_builder.h"

#include <cmath>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/familiar_names.h"
#include "cli/frame/job_values.h"
#include "cli/frame/key_values.h"
#include "cli/submit/added_files.h"
#include "cli/submit/env_rules.h"
#include "cli/submit/job_resources.h"
#include "cli/submit/rlimit_rules.h"
#include "document/config/config_source.h"
#include "document/jobspec/begin_time.h"
#include "document/jobspec/dependency.h"
#include "document/jobspec/shell_options.h"
#include "document/jobspec/template.h"
#include "document/resource/constraint_syntax.h"
#include "meeting/enclosure.h"
#include "notation/fsd.h"
#include "notation/idset.h"
#include "notation/signal.h"

namespace fq::cli {
namespace {

using nlohmann::json;

/// Runs `step`; what it says against the user's input is said of `option`.
template <typename Step>
auto for_option(std::string_view option, Step step) {
  try {
    return step();
  } catch (const Error& failure) {
    const Kind kind = failure.kind() == Kind::combination ? Kind::combination : Kind::usage;
    throw Error{kind, fmt::format("{}: {}", option, failure.what()), failure.hint()};
  }
}

const std::string& checked(std::string_view option, const std::string& text) {
  if (!is_valid_utf8(text)) throw error(Kind::usage, "{}: {} is not valid UTF-8", option, quote(text));
  return text;
}

const std::string& name_of(std::string_view option, const std::string& text) {
  if (text.empty()) throw error(Kind::usage, "{}: expected a name, got ''", option);
  return checked(option, text);
}

const std::string& file_name(std::string_view option, const std::string& text) {
  if (text.empty()) throw error(Kind::usage, "{}: expected the name of a file, got ''", option);
  return checked(option, text);
}

/// A tag that stands for nothing would make one file of those of many jobs.
const std::string& output_name(std::string_view option, const std::string& text) {
  const std::vector<std::string> unknown = document::unknown_tags(text);
  if (!unknown.empty()) {
    std::string hint = did_you_mean(unknown.front(), document::tag_names());
    throw Error{Kind::usage,
                fmt::format("{}: there is no tag {}", option, quote("{{" + unknown.front() + "}}")),
                hint.empty() ? "man fq-submit has them" : std::move(hint)};
  }
  if (const std::size_t open = text.rfind("{{");
      open != std::string::npos && text.find("}}", open) == std::string::npos)
    throw error(Kind::usage, "{}: {}: '{{{{' is not closed by '}}}}'", option, quote(text));
  return file_name(option, text);
}

void set_time_limit(json& system, const SubmitOptions& options) {
  system["duration"] = 0.0;
  if (!options.time_limit) return;
  const double seconds = for_option("--time-limit", [&] {
    try {
      return notation::parse_minutes_or_fsd(*options.time_limit);
    } catch (const Error& failure) {
      const std::string meant = familiar_duration(*options.time_limit);
      if (meant.empty()) throw;
      throw Error{failure.kind(), failure.what(), fmt::format("did you mean '{}'?", meant)};
    }
  });
  if (seconds > 0 && !std::isinf(seconds)) {
    system["duration"] = seconds;
  } else {
    system["unlimited"] = true;  // or the queue's default would be the limit
  }
}

json warning_signal(std::string_view text) {
  constexpr double kDefaultTimeLeft_s = 60;
  const std::size_t at = text.find('@');
  const std::string_view name = text.substr(0, at);
  const std::string_view time = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
  const double left =
      time.empty() ? kDefaultTimeLeft_s : for_option("--signal", [&] { return notation::parse_fsd(time); });
  if (std::isinf(left)) throw error(Kind::usage, "--signal: {} is not a time before the limit", quote(time));
  const int number =
      name.empty() ? SIGUSR1 : for_option("--signal", [&] { return notation::parse_signal(name); });
  return {{"signum", number}, {"timeleft", left}};
}

/// The tasks that --input names by their ranks; none where it names a file.
notation::Idset named_tasks(const std::optional<std::string>& input) {
  try {
    return input ? notation::Idset::decode(*input) : notation::Idset{};
  } catch (const Error&) {
    return {};
  }
}

void require_tasks(const notation::Idset& tasks, std::uint64_t ntasks) {
  if (tasks.empty() || tasks.last() < ntasks) return;
  throw error(Kind::combination, "--input: there is no task {}, the job has {}", tasks.last(),
              ntasks == 1 ? "task 0 alone" : fmt::format("tasks 0-{}", ntasks - 1));
}

void set_input(json& shell, const SubmitOptions& options, std::optional<std::uint64_t> ntasks) {
  const notation::Idset tasks = named_tasks(options.input);
  const bool to_tasks = options.input && (*options.input == "all" || !tasks.empty());
  if (options.input && !to_tasks) {
    shell["input"]["stdin"] = {{"type", "file"}, {"path", file_name("--input", *options.input)}};
  } else if (options.attached) {
    if (ntasks) require_tasks(tasks, *ntasks);
    shell["input"]["stdin"] = {{"type", "service"}, {"ranks", to_tasks ? *options.input : "all"}};
  } else if (to_tasks) {
    throw Error{Kind::usage,
                fmt::format("--input: {} names tasks, which takes a command that stays with the job",
                            quote(*options.input)),
                fmt::format("'./{}' is a file", *options.input)};
  }
}

/// Whether what --output or --error says is where output goes anyway: into the store.
bool is_store(const std::string& path) {
  return path == "none" || path == "kvs";
}

/// The file that the tasks read goes along to a machine that has not those of this one.
void send_input(json& system, const Surroundings& surroundings) {
  constexpr std::string_view kName = "stdin";
  json& shell = system["shell"]["options"];
  const json::json_pointer place("/input/stdin/path");
  if (!shell.contains(place) || shell[place] == "/dev/null") return;
  for_option("--input", [&] {
    add_files(system["files"], {fmt::format("{}={}", kName, shell[place].get<std::string>())},
              surroundings.read_file);
  });
  shell[place] = fmt::format("{{{{tmpdir}}}}/{}", kName);
}

void set_output(json& shell, const SubmitOptions& options) {
  const bool to_file = options.output && !is_store(*options.output);
  if (to_file) {
    json& out = shell["output"]["stdout"];
    out = {{"type", "file"}, {"path", output_name("--output", *options.output)}};
    if (options.label_io) out["label"] = true;
  }
  if (options.error && !is_store(*options.error)) {
    json& err = shell["output"]["stderr"];
    err = {{"type", "file"}, {"path", output_name("--error", *options.error)}};
    if (options.label_io) err["label"] = true;
  } else if (options.error && to_file) {
    shell["output"]["stderr"]["type"] = "kvs";  // or it would follow stdout
  }
  if (options.unbuffered) {
    shell["output"]["stdout"]["buffer"]["type"] = "none";
    shell["output"]["stderr"]["buffer"]["type"] = "none";
    shell["output"]["batch-timeout"] = 0.05;
    shell["input"]["batch-timeout"] = 0.0;
  }
}

void check_begin_time(const std::string& text, double now) {
  try {
    static_cast<void>(document::parse_begin_time(text, now));
  } catch (const Error& failure) {
    const std::string meant = familiar_begin_time(text);
    if (meant.empty()) throw;
    throw Error{failure.kind(), failure.what(), fmt::format("did you mean '{}'?", meant)};
  }
}

json dependencies(const SubmitOptions& options, double now) {
  json all = json::array();
  for (const std::string& text : options.dependencies) {
    constexpr std::string_view kBeginTime = "begin-time:";
    const bool is_time = text.starts_with(kBeginTime);
    all.push_back(for_option(is_time ? "--begin-time" : "--dependency", [&] {
      // Read here first, so that the message quotes what stands behind --begin-time.
      if (is_time) check_begin_time(text.substr(kBeginTime.size()), now);
      json object = document::to_json(document::parse_dependency_option(text, now));
      const std::size_t colon = text.find(':');
      // What is said of that job quotes it as it stands here.
      if (!is_time && colon != std::string::npos) {
        static_cast<void>(parse_job_id(text.substr(colon + 1, text.find('?') - colon - 1)));
      }
      return object;
    }));
  }
  return all;
}

/// `cyclic:2` as the shell option `taskmap`.
void set_taskmap(json& shell, const std::string& text) {
  const std::size_t colon = text.find(':');
  json taskmap{{"scheme", checked("--taskmap", text).substr(0, colon)}};
  if (colon != std::string::npos) taskmap["value"] = text.substr(colon + 1);
  for_option("--taskmap", [&] {
    static_cast<void>(document::parse_shell_options(JsonAt{json{{"taskmap", taskmap}}, ""}));
  });
  shell["taskmap"] = std::move(taskmap);
}

/// Whether people come to the job's terminal: what they type there is its input.
bool is_interactive(const json& shell) {
  const auto pty = shell.find("pty");
  return pty != shell.end() && pty->is_object() && pty->contains("interactive");
}

void set_shell_options(json& shell, const SubmitOptions& options, const Surroundings& surroundings,
                       const JobEnvironment& environment, std::optional<std::uint64_t> ntasks) {
  if (options.script || options.alone) shell["batch"] = 1;
  if (!environment.expand.empty()) shell["env-expand"] = environment.expand;
  if (const Rlimits limits = apply_rlimit_rules(options.rlimit, surroundings.rlimits); !limits.empty()) {
    shell["rlimit"] = limits;
  }
  shell["umask"] = fmt::format("{:04o}", surroundings.umask);
  if (options.terminal != SubmitOptions::Terminal::none) {
    shell["pty"]["interactive"] = 1;
    // The task may begin before anybody has come to its terminal.
    if (const auto& window = surroundings.window) {
      shell["pty"]["rows"] = window->rows;
      shell["pty"]["columns"] = window->columns;
    }
  }
  if (options.terminal == SubmitOptions::Terminal::kept) shell["pty"]["capture"] = 1;
  set_input(shell, options, ntasks);
  set_output(shell, options);
  if (options.dump) {
    shell["dump"] = output_name("--dump", *options.dump);
    if (!document::is_archive_name(*options.dump))
      throw error(Kind::usage,
                  "--dump: expected the name of an archive, as 'run.tgz' or 'run.tar.zst', got {}",
                  quote(*options.dump));
  }
  if (options.signal) shell["signal"] = warning_signal(*options.signal);
  if (options.taskmap) set_taskmap(shell, *options.taskmap);
  for (const std::string& text : options.setopt) {
    for_option("--setopt", [&] {
      auto [key, value] = parse_key_value(text, surroundings.read_file);
      set_at_path(shell, key, std::move(value));
    });
  }
  if (is_interactive(shell) && !options.input) shell.erase("input");
  if (options.setopt.empty()) return;
  try {
    for_option("--setopt", [&] {
      document::check_shell_options(JsonAt{shell, ""});
      if (ntasks) document::check_tasks_named(document::parse_shell_options(JsonAt{shell, ""}), *ntasks);
    });
  } catch (const Error& failure) {
    // Elsewhere -o names a file.
    const std::string& last = options.setopt.back();
    const bool is_file = last.find('=') == std::string::npos && last.find_first_of("./") != std::string::npos;
    if (!failure.hint().empty() || !is_file) throw;
    throw Error{failure.kind(), failure.what(), "--output=FILE says where output goes"};
  }
}

void check_command(const std::vector<std::string>& command) {
  if (command.empty()) throw Error{Kind::usage, "the command to run is missing"};
  if (command[0].empty()) throw Error{Kind::usage, "the command to run is empty"};
  for (const std::string& argument : command) {
    if (!is_valid_utf8(argument)) {
      throw error(Kind::usage, "{} is not valid UTF-8, which a jobspec cannot carry", quote(argument));
    }
  }
}

}  // namespace

std::string working_directory(const std::optional<std::string>& cwd, const Surroundings& surroundings) {
  if (!cwd || cwd->empty()) return checked("the current directory", surroundings.cwd);
  if (checked("--cwd", *cwd).starts_with('/')) return *cwd;
  return surroundings.cwd + (surroundings.cwd.ends_with('/') ? "" : "/") + *cwd;
}

json build_jobspec(const SubmitOptions& options, const Surroundings& surroundings,
                   std::optional<std::uint32_t> copy) {
  check_command(options.command);
  json jobspec = {{"version", 1}};
  const std::optional<std::uint64_t> ntasks = set_resources(jobspec, options);

  json& system = jobspec["attributes"]["system"];
  set_time_limit(system, options);
  system["cwd"] = working_directory(options.cwd, surroundings);
  JobEnvironment environment = apply_env_rules(options.env, surroundings);
  if (copy) environment.variables["FLUX_JOB_CC"] = std::to_string(*copy);
  system["environment"] = environment.variables;
  if (options.job_name) system["job"]["name"] = checked("--job-name", *options.job_name);
  if (options.queue) system["queue"] = name_of("--queue", *options.queue);
  if (options.bank) system["bank"] = name_of("--bank", *options.bank);
  if (options.qos) system["qos"] = name_of("--qos", *options.qos);
  if (!options.dependencies.empty()) system["dependencies"] = dependencies(options, surroundings.now);
  if (!options.requires_.empty()) {
    json constraint =
        for_option("--requires", [&] { return document::parse_constraint_syntax(options.requires_); });
    if (!constraint.empty()) system["constraints"] = std::move(constraint);
  }
  set_shell_options(system["shell"]["options"], options, surroundings, environment, ntasks);
  if (options.script) {
    constexpr int kExecutableFile = 0100700;  // st_mode (RFC 37)
    system["files"]["script"] = {{"mode", kExecutableFile}, {"encoding", "utf-8"}, {"data", *options.script}};
  }
  if (options.conf) {
    const std::string text = for_option("--conf", [&] { return surroundings.read_file(*options.conf); });
    static_cast<void>(document::ConfigSource({{*options.conf, text}}));  // throws what is wrong with its form
    constexpr int kPlainFile = 0100600;
    system["files"][std::string{meeting::kInstanceConfig}] = {
        {"mode", kPlainFile}, {"encoding", "utf-8"}, {"data", text}};
  }
  if (!options.files.empty()) {
    for_option("--add-file", [&] { add_files(system["files"], options.files, surroundings.read_file); });
  }
  if (surroundings.elsewhere) send_input(system, surroundings);

  for (const std::string& text : options.setattr) {
    for_option("--setattr", [&] {
      auto [key, value] = parse_key_value(text, surroundings.read_file);
      const std::string path = attribute_path(key);
      if (path == "attributes.system.duration" && value == 0) {
        set_at_path(jobspec, "attributes.system.unlimited", true);
      }
      set_at_path(jobspec, path, std::move(value));
    });
  }
  return jobspec;
}

}  // namespace fq::cli
