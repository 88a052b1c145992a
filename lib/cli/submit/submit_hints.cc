#include "cli/submit/submit_hints.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/frame/key_values.h"
#include "cli/frame/output.h"
#include "document/jobspec/begin_time.h"
#include "document/jobspec/directives.h"
#include "notation/fsd.h"

namespace fq::cli {
namespace {

/// What fq reads below `attributes.system`.
const std::vector<std::string>& known_attributes() {
  static const std::vector<std::string> kKnown{
      "duration", "unlimited", "environment",  "cwd",         "job.name", "shell.options", "queue",
      "bank",     "project",   "dependencies", "constraints", "qos",      "files",         "requeue"};
  return kKnown;
}

/// Whether the text is as the job will see it: no copy replaces a part of it, and no tag of the shell.
bool is_plain(std::string_view text) {
  return text.find('{') == std::string_view::npos;
}

bool is_executable_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// Whether it is a script that begins with options (RFC 36).
bool has_directives(const std::string& path) {
  std::string text(4096, '\0');
  try {
    const UniqueFd fd = open_file(path, O_RDONLY | O_NONBLOCK);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(fd.get(), text.data(), text.size()), 0)));
    return text.starts_with("#!") && is_valid_utf8(text.substr(0, text.rfind('\n') + 1)) &&
           !document::parse_directives(text).empty();
  } catch (const Error&) {
    return false;  // fq batch says what is wrong with them
  }
}

class Hints {
 public:
  Hints(const SubmitOptions& options, const Surroundings& surroundings)
      : options_(options), surroundings_(surroundings) {}

  std::vector<std::string> find() {
    if (options_.dependencies.empty()) look_at_files();
    for (const std::string& name : surroundings_.left_out) {
      found_.push_back(fmt::format("the job does not get the variable {}, which is not UTF-8", quote(name)));
    }
    for (const std::string& text : options_.setattr) look_at_attribute(text);
    look_at_output_directory("--output", options_.output);
    look_at_output_directory("--error", options_.error);
    for (const std::string& text : options_.dependencies) look_at_begin_time(text);
    look_at_signal();
    return std::move(found_);
  }

 private:
  /// `path` as seen from the job's directory.
  [[nodiscard]] std::string at_job(const std::string& path) const {
    if (path.starts_with('/')) return path;
    const std::string cwd = options_.cwd.value_or("");
    if (cwd.starts_with('/')) return cwd + "/" + path;
    return surroundings_.cwd + "/" + (cwd.empty() ? "" : cwd + "/") + path;
  }

  void look_at_files() {
    if (options_.cwd && !options_.cwd->empty()) {
      if (!is_plain(*options_.cwd)) return;
      struct stat status {};
      if (::stat(at_job(".").c_str(), &status) != 0) {
        found_.push_back(
            fmt::format("the directory {} is not there: without it the job fails", quote(*options_.cwd)));
        return;
      }
    }
    if (options_.input && is_plain(*options_.input) && options_.input->find('/') != std::string::npos &&
        ::access(at_job(*options_.input).c_str(), R_OK) != 0) {
      found_.push_back(fmt::format("--input: {} is not there, or cannot be read", quote(*options_.input)));
    }
    look_at_program();
  }

  void look_at_program() {
    if (options_.script || options_.command.empty() || !is_plain(options_.command[0])) return;
    const std::string& program = options_.command[0];
    if (program.find('/') != std::string::npos) {
      const std::string path = at_job(program);
      struct stat status {};
      if (::stat(path.c_str(), &status) != 0) {
        found_.push_back(fmt::format("there is no program {}", quote(program)));
      } else if (!is_executable_file(path)) {
        found_.push_back(fmt::format("{} {}", quote(program),
                                     S_ISDIR(status.st_mode) ? "is a directory" : "is not executable"));
      } else if (has_directives(path)) {
        found_.push_back(fmt::format("{} has options for fq batch, which are not read here", quote(program)));
      }
      return;
    }
    const auto path = surroundings_.environment.find("PATH");
    if (!options_.env.empty() || path == surroundings_.environment.end()) return;
    for (const std::string_view directory : split(path->second, ':')) {
      if (is_executable_file(fmt::format("{}/{}", directory.empty() ? "." : directory, program))) return;
    }
    found_.push_back(fmt::format("there is no program {} in $PATH", quote(program)));
  }

  void look_at_attribute(const std::string& text) {
    const std::size_t begin = text.starts_with('^') ? 1 : 0;
    std::string hint = attribute_hint(attribute_path(text.substr(begin, text.find('=') - begin)));
    if (!hint.empty()) found_.push_back(std::move(hint));
  }

  void look_at_output_directory(std::string_view option, const std::optional<std::string>& path) {
    if (!path || !options_.dependencies.empty()) return;
    const std::string directory = path->substr(0, path->rfind('/') + 1);
    if (directory.empty() || !is_plain(directory)) return;
    if (struct stat status{}; ::stat(at_job(directory).c_str(), &status) != 0)
      found_.push_back(fmt::format("{}: the directory {} is not there", option, quote(directory)));
  }

  void look_at_begin_time(std::string_view text) {
    constexpr std::string_view kBeginTime = "begin-time:";
    if (!text.starts_with(kBeginTime)) return;
    text.remove_prefix(kBeginTime.size());
    if (is_plain(text) && text != "now" &&
        document::parse_begin_time(text, surroundings_.now) < surroundings_.now)
      found_.push_back(fmt::format("--begin-time: {} has been: the job does not wait for it", quote(text)));
  }

  // A queue may give a limit yet.
  void look_at_signal() {
    if (!options_.signal || !is_plain(*options_.signal)) return;
    if (options_.time_limit && !is_plain(*options_.time_limit)) return;
    const double limit = options_.time_limit ? notation::parse_minutes_or_fsd(*options_.time_limit) : 0;
    if (limit == 0 || std::isinf(limit)) {
      if (options_.time_limit || !options_.queue)
        found_.emplace_back("--signal: it comes before a time limit, and --time-limit gives none");
      return;
    }
    const std::size_t at = options_.signal->find('@');
    if (at == std::string::npos || at + 1 == options_.signal->size()) return;
    const std::string left = options_.signal->substr(at + 1);
    if (notation::parse_fsd(left) >= limit) {
      found_.push_back(fmt::format("--signal: {} before a limit of {} is before the job begins", left,
                                   quote(*options_.time_limit)));
    }
  }

  const SubmitOptions& options_;
  const Surroundings& surroundings_;
  std::vector<std::string> found_;
};

// Patterns of Slurm, of which the shell makes nothing: all jobs would write to one file.
void look_at_patterns(std::vector<std::string>& found, std::string_view option,
                      const std::optional<std::string>& text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPatterns{{{"%j", "{{id}}"},
                                                                                    {"%J", "{{id}}"},
                                                                                    {"%A", "{{id}}"},
                                                                                    {"%x", "{{name}}"},
                                                                                    {"%a", {}},
                                                                                    {"%t", "{{taskid}}"}}};
  if (!text) return;
  for (const auto& [elsewhere, ours] : kPatterns) {
    if (text->find(elsewhere) == std::string::npos) continue;
    found.push_back(fmt::format("{}: {} stands for nothing{}", option, quote(elsewhere),
                                ours.empty() ? "" : fmt::format(" (did you mean {}?)", quote(ours))));
  }
}

}  // namespace

std::vector<std::string> submit_warnings(const SubmitOptions& options) {
  std::vector<std::string> found;
  look_at_patterns(found, "--output", options.output);
  look_at_patterns(found, "--error", options.error);
  return found;
}

std::vector<std::string> submit_hints(const SubmitOptions& options, const Surroundings& surroundings) {
  return Hints(options, surroundings).find();
}

std::string attribute_hint(const std::string& path) {
  constexpr std::string_view kSystem = "attributes.system.";
  if (!path.starts_with(kSystem)) return {};
  const std::string name = path.substr(kSystem.size());
  const auto leads_to = [&](const std::string& known) {
    return known == name || name.starts_with(known + ".") || known.starts_with(name + ".");
  };
  if (std::any_of(known_attributes().begin(), known_attributes().end(), leads_to)) return {};
  const std::string hint = did_you_mean(name, known_attributes());
  return hint.empty() ? "" : fmt::format("nothing reads the attribute {} ({})", quote(path), hint);
}

std::string foreign_directives(std::string_view name, std::string_view script) {
  constexpr std::array<std::string_view, 4> kSentinels{"#SBATCH", "#PBS", "#BSUB", "#COBALT"};
  if (!document::parse_directives(script).empty()) return {};
  std::size_t number = 0;
  for (const std::string_view line : split(script, '\n')) {
    ++number;
    for (const std::string_view sentinel : kSentinels) {
      if (!line.starts_with(sentinel)) continue;
      return fmt::format("{}: line {}: {} lines are comments to fq, which reads `# fq: -n4 -t 1h`", name,
                         number, sentinel);
    }
  }
  return {};
}

void hint_submission(std::string_view command, const SubmitOptions& options, const Surroundings& surroundings,
                     const std::string& warning) {
  if (!warning.empty()) say(command, warning);
  for (const std::string& each : submit_warnings(options)) say(command, each);
  // What is there, on another machine, cannot be seen from here.
  if (surroundings.elsewhere || ::isatty(STDERR_FILENO) != 1) return;
  for (const std::string& hint : submit_hints(options, surroundings)) say(command, hint);
}

}  // namespace fq::cli
