// The page that --help shows of a command.

#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace fq::cli {

/// `-q`, `--queue`
[[nodiscard]] std::vector<std::string> names_of(const CLI::Option& option);

/// One line an option under the titles of their groups; then the examples. Where that is more than a screen,
/// what is rarely wanted stands there by its names alone, and then the titles go.
class HelpFormatter : public CLI::Formatter {
 public:
  /// `rare` outlives this.
  HelpFormatter(std::string name, std::string usage, const std::set<std::string>& rare)
      : name_(std::move(name)), usage_(std::move(usage)), rare_(rare) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

 private:
  struct Layout {
    bool titles;
    bool all;
  };

  [[nodiscard]] std::string make_page(const CLI::App& app, Layout layout) const;
  [[nodiscard]] bool is_rare(const CLI::Option& option) const;
  void append_options(std::string& out, std::vector<std::string>& by_name, Layout layout,
                      const std::vector<const CLI::Option*>& options) const;

  std::string name_, usage_;
  const std::set<std::string>& rare_;
};

}  // namespace fq::cli
