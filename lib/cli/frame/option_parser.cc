#include "cli/frame/option_parser.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/familiar_names.h"
#include "cli/frame/option_help.h"
#include "cli/frame/run_tool.h"

namespace fq::cli {

struct OptionParser::Impl {
  Impl(std::string_view command, std::string_view summary, const Operands& takes)
      : name(command), operands(takes), app(std::string{summary}, std::string{command}) {
    app.set_help_flag();
    app.formatter(std::make_shared<HelpFormatter>(name, std::string{operands.usage}, rare));
  }

  CLI::Option* add(std::string_view names, CLI::callback_t take, std::string_view help) {
    return app.add_option(std::string{names}, std::move(take), std::string{help})
        ->group(group)
        ->trigger_on_parse()
        ->allow_extra_args(false);
  }

  void add_flag(std::string_view names, std::function<void()> set, std::string_view help) {
    app.add_flag_callback(std::string{names}, std::move(set), std::string{help})
        ->group(group)
        ->trigger_on_parse();
  }

  /// Adds what every command has, at the end of the help page.
  void finish(const OptionParser& parser) {
    if (std::exchange(finished, true)) return;
    group = "Common options";
    add_flag(
        "-h,--help", [&parser] { throw EarlyExit{parser.help()}; }, "show this page; the version");
    add_flag(
        "--version", [&parser] { throw EarlyExit{parser.version()}; }, "");
  }

  [[nodiscard]] std::vector<std::string> long_names() const {
    std::vector<std::string> names;
    for (const CLI::Option* known : app.get_options()) {
      for (const std::string& long_name : known->get_lnames()) names.push_back("--" + long_name);
    }
    return names;
  }

  [[nodiscard]] Error takes_no_value(const std::string& option) const {
    return Error{Kind::usage, fmt::format("option {} takes no value", quote(option)),
                 std::string{familiar_option_way(option, long_names())}};
  }

  [[nodiscard]] Error unknown(std::string_view option) const {
    const std::vector<std::string> candidates = long_names();
    std::string hint;
    if (const std::string familiar = familiar_option(option, candidates); !familiar.empty()) {
      hint = fmt::format("did you mean '{}'?", familiar);
    } else if (const std::string_view way = familiar_option_way(option, candidates); !way.empty()) {
      hint = way;
    } else if (option.starts_with("--")) {
      // An abbreviation is far from its option by edit distance.
      const auto longer = std::find_if(candidates.begin(), candidates.end(),
                                       [&](const std::string& other) { return other.starts_with(option); });
      hint = longer != candidates.end() && option.size() > 3 ? fmt::format("did you mean '{}'?", *longer)
                                                             : did_you_mean(option, candidates);
    }
    return Error{Kind::usage, fmt::format("unknown option {}", quote(option)), std::move(hint)};
  }

  [[nodiscard]] const CLI::Option& find(const std::string& option) const {
    const CLI::Option* known = app.get_option_no_throw(option);
    if (known == nullptr) throw unknown(option);
    return *known;
  }

  static bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

  /// Takes `arguments` apart. Options come back as pairs of name and value, so that no value
  /// is taken for an option; the rest are operands.
  struct Split {
    std::vector<std::string> options;
    std::vector<std::string> operands;
  };
  [[nodiscard]] Split split(std::vector<std::string> arguments) const;
  /// Reads the long option arguments[at], or the joined letters there; returns the next index.
  std::size_t split_long(const std::vector<std::string>& arguments, std::size_t at,
                         std::vector<std::string>& options) const;
  std::size_t split_letters(const std::vector<std::string>& arguments, std::size_t at,
                            std::vector<std::string>& options) const;
  /// The value of `option` when it stands in the argument `at`, which is moved beyond it.
  std::string next_value(const std::vector<std::string>& arguments, std::size_t& at,
                         const std::string& option, const CLI::Option& known) const {
    if (const auto maybe = optional_values.find(&known); maybe != optional_values.end()) {
      const std::vector<std::string_view>& words = maybe->second.words;
      const bool is_given =
          at < arguments.size() && std::find(words.begin(), words.end(), arguments[at]) != words.end();
      return is_given ? arguments[at++] : std::string{maybe->second.without};
    }
    if (at < arguments.size()) return arguments[at++];
    throw error(Kind::usage, "option {} needs a value: {} {}", quote(option), option,
                known.get_option_text());
  }

  struct OptionalValue {
    std::string_view without;
    std::vector<std::string_view> words;
  };

  std::string name;
  Operands operands;
  std::map<const CLI::Option*, OptionalValue> optional_values;
  std::set<std::string> rare;
  std::string group = "Options";
  std::string examples;
  bool finished = false;
  CLI::App app;
};

std::size_t OptionParser::Impl::split_long(const std::vector<std::string>& arguments, std::size_t at,
                                           std::vector<std::string>& options) const {
  const std::string& argument = arguments[at];
  const std::size_t equals = argument.find('=');
  const std::string option = argument.substr(0, equals);
  const CLI::Option& known = find(option);
  options.push_back(option);
  if (!takes_value(known)) {
    if (equals != std::string::npos) throw takes_no_value(option);
    return at + 1;
  }
  if (equals != std::string::npos) {
    options.push_back(argument.substr(equals + 1));
    return at + 1;
  }
  options.push_back(next_value(arguments, ++at, option, known));
  return at;
}

std::size_t OptionParser::Impl::split_letters(const std::vector<std::string>& arguments, std::size_t at,
                                              std::vector<std::string>& options) const {
  const std::string& argument = arguments[at];
  for (std::size_t i = 1; i < argument.size(); ++i) {
    const std::string option{'-', argument[i]};
    if (static_cast<unsigned char>(argument[i]) >= 0x80) throw unknown(argument);
    const bool is_digit = argument[i] >= '0' && argument[i] <= '9';
    if (i > 1 && is_digit && app.get_option_no_throw(option) == nullptr) {
      throw takes_no_value(fmt::format("-{}", argument[i - 1]));
    }
    const CLI::Option& known = find(option);
    options.push_back(option);
    if (!takes_value(known)) continue;
    if (i + 1 < argument.size()) {
      options.push_back(argument.substr(i + 1));
      return at + 1;
    }
    options.push_back(next_value(arguments, ++at, option, known));
    return at;
  }
  return at + 1;
}

OptionParser::Impl::Split OptionParser::Impl::split(std::vector<std::string> arguments) const {
  Split result;
  std::size_t at = 0;
  bool ended = false;
  while (at < arguments.size() && !ended) {
    const std::string& argument = arguments[at];
    if (argument == "--") {
      ++at;
      break;
    }
    if (argument.size() >= 2 && argument[0] == '-') {
      at = argument[1] == '-' ? split_long(arguments, at, result.options)
                              : split_letters(arguments, at, result.options);
    } else if (operands.options_first) {
      ended = true;
    } else {
      result.operands.push_back(arguments[at++]);
    }
  }
  result.operands.insert(result.operands.end(),
                         std::make_move_iterator(arguments.begin() + static_cast<std::ptrdiff_t>(at)),
                         std::make_move_iterator(arguments.end()));
  return result;
}

OptionParser::OptionParser(std::string_view name, std::string_view summary, Operands operands)
    : impl_(std::make_unique<Impl>(name, summary, operands)) {}

OptionParser::~OptionParser() = default;

void OptionParser::group(std::string_view title) {
  impl_->group = title;
}

void OptionParser::flag(std::string_view names, bool& target, std::string_view help) {
  flag(
      names, [&target] { target = true; }, help);
}

void OptionParser::flag(std::string_view names, std::function<void()> action, std::string_view help) {
  impl_->add_flag(names, std::move(action), help);
}

void OptionParser::count(std::string_view names, int& target, std::string_view help) {
  impl_->add_flag(
      names, [&target] { ++target; }, help);
}

void OptionParser::option(std::string_view names, std::string_view placeholder, Take take,
                          std::string_view help) {
  const std::string_view last_name = split(names, ',').back();
  const auto callback = [take = std::move(take),
                         name = std::string{last_name}](const CLI::results_t& values) {
    try {
      take(values.back());
    } catch (const Error& failure) {
      if (failure.kind() != Kind::invalid && failure.kind() != Kind::usage) throw;
      throw Error{Kind::usage, fmt::format("{}: {}", name, failure.what()), failure.hint()};
    }
    return true;
  };
  impl_->add(names, callback, help)->option_text(std::string{placeholder});
}

void OptionParser::option(std::string_view names, std::string_view placeholder, std::string& target,
                          std::string_view help) {
  option(
      names, placeholder, [&target](const std::string& value) { target = value; }, help);
}

void OptionParser::option(std::string_view names, std::string_view placeholder,
                          std::optional<std::string>& target, std::string_view help) {
  option(
      names, placeholder, [&target](const std::string& value) { target = value; }, help);
}

void OptionParser::option(std::string_view names, std::string_view placeholder,
                          std::vector<std::string>& target, std::string_view help) {
  option(
      names, placeholder, [&target](const std::string& value) { target.push_back(value); }, help);
}

void OptionParser::optional_value(std::string_view name, std::string_view without,
                                  std::initializer_list<std::string_view> words) {
  impl_->optional_values[impl_->app.get_option(std::string{name})] = {without, words};
}

void OptionParser::rarely(std::initializer_list<std::string_view> names) {
  impl_->rare.insert(names.begin(), names.end());
}

void OptionParser::example(std::string_view line) {
  impl_->examples += fmt::format("  {}\n", line);
  impl_->app.footer(impl_->examples);
}

std::vector<std::string> OptionParser::parse(int argc, const char* const* argv) {
  return parse(argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>{});
}

std::vector<std::string> OptionParser::parse(std::vector<std::string> arguments) {
  impl_->finish(*this);
  Impl::Split parts = impl_->split(std::move(arguments));
  std::reverse(parts.options.begin(), parts.options.end());  // the order in which CLI11 takes a vector
  try {
    impl_->app.parse(parts.options);
  } catch (const CLI::ParseError& failure) {
    throw Error{Kind::usage, failure.what()};
  }
  const Operands& takes = impl_->operands;
  if (parts.operands.size() < takes.least) {
    const auto names = split(takes.usage, ' ');
    const std::string_view missing = names[std::min(parts.operands.size(), names.size() - 1)];
    throw Error{Kind::usage, fmt::format("{} is missing", missing),
                fmt::format("usage: {} [OPTION...] {}", impl_->name, takes.usage)};
  }
  if (parts.operands.size() > takes.most) {
    throw error(Kind::usage, "unexpected operand {}", quote(parts.operands[takes.most]));
  }
  return std::move(parts.operands);
}

std::string OptionParser::help() const {
  impl_->finish(*this);
  return impl_->app.help();
}

std::string OptionParser::version() const {
  return fmt::format("{} {}\n", impl_->name, FQ_VERSION);
}

}  // namespace fq::cli
