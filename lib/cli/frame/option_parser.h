// The options of one command: registered once, they drive parsing, the help page and near matches.
//
// Options may stand before, between and behind operands, until `--`, which is consumed; where the operands
// are a command line, or free text, they end at the first operand. Long options are never abbreviated; `-n4`,
// `-n 4`, `--ntasks=4` and `--ntasks 4` are the same, and flags of one letter may be joined, the last one
// with a value (`-vn4`). What an option is given is passed on byte for byte, also when it is empty or begins
// with a dash.

#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fq::cli {

/// What a command takes after its options.
struct Operands {
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

  std::string_view usage;  ///< as the usage line shows them: `COMMAND [ARG...]`; empty: none
  std::size_t least = 0;
  std::size_t most = 0;
  bool options_first = false;  ///< from the first operand on, nothing is an option
};

class OptionParser {
 public:
  using Take = std::function<void(const std::string& value)>;

  /// `name` is the command's, `summary` says in one line what it does.
  OptionParser(std::string_view name, std::string_view summary, Operands operands = {});
  ~OptionParser();
  OptionParser(const OptionParser&) = delete;
  OptionParser& operator=(const OptionParser&) = delete;

  /// Options registered from here on stand under `title` on the help page. An empty title hides them.
  void group(std::string_view title);

  // Names are `-q,--queue`. An option whose help is empty shares the line of the one before it. Targets must
  // live until parse returns; they are set in the order of the command line, so that the last one given wins.

  void flag(std::string_view names, bool& target, std::string_view help);
  /// Calls `action` each time the flag is given.
  void flag(std::string_view names, std::function<void()> action, std::string_view help);
  /// Counts how often the flag is given.
  void count(std::string_view names, int& target, std::string_view help);
  void option(std::string_view names, std::string_view placeholder, std::string& target,
              std::string_view help);
  void option(std::string_view names, std::string_view placeholder, std::optional<std::string>& target,
              std::string_view help);
  /// Appends each value given.
  void option(std::string_view names, std::string_view placeholder, std::vector<std::string>& target,
              std::string_view help);
  /// Calls `take` with each value given. What it throws of kind invalid leaves parse as
  /// Error{usage} `--color: …`.
  void option(std::string_view names, std::string_view placeholder, Take take, std::string_view help);

  /// The option of that name may stand without a value, which is `without` then. In an argument of its own
  /// only one of `words` is its value.
  void optional_value(std::string_view name, std::string_view without,
                      std::initializer_list<std::string_view> words);

  /// Options, by any of their names, that stand on the help page by their names alone where it would be more
  /// than a screen otherwise.
  void rarely(std::initializer_list<std::string_view> names);
  /// A line of the help page's examples.
  void example(std::string_view line);

  /// Reads the command line, argv[0] left out, and returns the operands. --help, -h and --version throw
  /// EarlyExit; what does not fit the options throws Error{usage} with, for an unknown option, a near match
  /// as hint.
  [[nodiscard]] std::vector<std::string> parse(int argc, const char* const* argv);
  [[nodiscard]] std::vector<std::string> parse(std::vector<std::string> arguments);

  /// The help page, at most 80 columns wide and, with the help of `rarely`, 24 lines long.
  [[nodiscard]] std::string help() const;
  /// `fq-submit 0.1.0` and a newline.
  [[nodiscard]] std::string version() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fq::cli
