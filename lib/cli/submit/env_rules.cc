#include "cli/submit/env_rules.h"

#include <optional>

#include <fnmatch.h>

#include "base/error.h"
#include "base/regex.h"
#include "base/text.h"

namespace fq::cli {
namespace {

constexpr int kMaxFileDepth = 8;  ///< rule files that name rule files

class Pattern {
 public:
  explicit Pattern(std::string_view text) : text_(text) {
    if (!text.starts_with('/')) return;
    text.remove_prefix(1);
    while (text.ends_with('/')) text.remove_suffix(1);
    regex_.emplace(text);
  }
  [[nodiscard]] bool matches(const std::string& name) const {
    if (regex_) return regex_->fits_start_of(name);
    return ::fnmatch(text_.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
  }

 private:
  std::string text_;
  std::optional<Regex> regex_;
};

bool is_name_char(char c, bool first) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  return letter || (!first && c >= '0' && c <= '9');
}

class RuleReader {
 public:
  explicit RuleReader(const Surroundings& surroundings)
      : surroundings_(surroundings), job_{surroundings.environment, {}} {}

  void apply(std::string_view rule, int depth) {
    if (rule.starts_with('-')) {
      remove(rule.substr(1));
    } else if (rule.starts_with('^')) {
      read_file(rule.substr(1), depth);
    } else if (const std::size_t equals = rule.find('='); equals != std::string_view::npos) {
      set(rule, std::string{rule.substr(0, equals)}, rule.substr(equals + 1));
    } else {
      take(rule);
    }
  }

  JobEnvironment finish() { return std::move(job_); }

 private:
  void remove(std::string_view text) {
    const Pattern pattern{text};
    const auto matches = [&](const auto& variable) { return pattern.matches(variable.first); };
    std::erase_if(job_.variables, matches);
    std::erase_if(job_.expand, matches);
  }

  void take(std::string_view text) {
    const Pattern pattern{text};
    for (const auto& [name, value] : surroundings_.environment) {
      if (pattern.matches(name)) job_.variables.emplace(name, value);
    }
  }

  void read_file(std::string_view name, int depth) {
    if (depth >= kMaxFileDepth) {
      throw error(Kind::usage, "{}: rule files nest deeper than {}", quote(name), kMaxFileDepth);
    }
    std::string path{name};
    if (path == "~" || path.starts_with("~/")) path.replace(0, 1, surroundings_.home);
    const std::string text = surroundings_.read_file(path);
    for (const std::string_view line : split(text, '\n')) {
      if (const std::string_view rule = trim(line); !rule.empty()) apply(rule, depth + 1);
    }
  }

  void set(std::string_view rule, std::string name, std::string_view value) {
    if (name.empty()) throw error(Kind::usage, "{}: the name of the variable is missing", quote(rule));
    if (!is_valid_utf8(rule)) throw error(Kind::usage, "{}: not valid UTF-8", quote(rule));
    // The last rule holds, whichever of the two it makes.
    std::string text = substitute(rule, value);
    job_.expand.erase(name);
    if (value.find("{{") != std::string_view::npos) {
      job_.expand[std::move(name)] = std::move(text);
    } else {
      job_.variables[std::move(name)] = std::move(text);
    }
  }

  std::string substitute(std::string_view rule, std::string_view value) const {
    std::string out;
    while (!value.empty()) {
      const std::size_t dollar = value.find('$');
      out += value.substr(0, dollar);
      if (dollar == std::string_view::npos) break;
      value.remove_prefix(dollar + 1);
      if (value.starts_with('$')) {
        out += '$';
        value.remove_prefix(1);
        continue;
      }
      const bool braced = value.starts_with('{');
      if (braced) value.remove_prefix(1);
      std::size_t length = 0;
      while (length < value.size() && is_name_char(value[length], length == 0)) ++length;
      const std::string name{value.substr(0, length)};
      value.remove_prefix(length);
      if (name.empty() || (braced && !value.starts_with('}'))) {
        throw Error{Kind::usage, fmt::format("{}: '$' is not followed by a variable", quote(rule)),
                    "$NAME or ${NAME}; $$ is a dollar sign"};
      }
      if (braced) value.remove_prefix(1);
      out += look_up(rule, name);
    }
    return out;
  }

  const std::string& look_up(std::string_view rule, const std::string& name) const {
    for (const Environment* variables : {&job_.variables, &surroundings_.environment}) {
      if (const auto found = variables->find(name); found != variables->end()) return found->second;
    }
    throw error(Kind::combination, "{}: variable {} is not set", quote(rule), quote(name));
  }

  const Surroundings& surroundings_;
  JobEnvironment job_;
};

}  // namespace

bool matches_pattern(std::string_view pattern, const std::string& name) {
  return Pattern{pattern}.matches(name);
}

JobEnvironment apply_env_rules(const std::vector<EnvRule>& rules, const Surroundings& surroundings) {
  RuleReader reader{surroundings};
  for (const EnvRule& rule : rules) {
    try {
      reader.apply(rule.text, 0);
    } catch (const Error& failure) {
      const Kind kind = failure.kind() == Kind::combination ? Kind::combination : Kind::usage;
      throw Error{kind, fmt::format("{}: {}", rule.option, failure.what()), failure.hint()};
    }
  }
  return reader.finish();
}

}  // namespace fq::cli
