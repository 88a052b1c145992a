#include "cli/frame/option_help.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"

namespace fq::cli {
namespace {

constexpr std::size_t kHelpColumn = 30;  // where the help texts begin, if the names leave room
constexpr std::size_t kHelpWidth = 80;
constexpr std::size_t kHelpHeight = 23;  // of 24, for the prompt comes below it

// `-q, --queue NAME`, `    --store DIR`
std::string shown_names(const CLI::Option& option) {
  std::string text = join(names_of(option), ", ");
  if (option.get_snames().empty()) text.insert(0, 4, ' ');
  if (!option.get_option_text().empty()) text += " " + option.get_option_text();
  return text;
}

bool fits(const std::string& page) {
  return static_cast<std::size_t>(std::count(page.begin(), page.end(), '\n')) <= kHelpHeight;
}

void append_names(std::string& out, const std::vector<std::string>& names) {
  constexpr std::string_view kTitle = "Also: ";
  std::string line;
  for (const std::string& name : names) {
    if (kTitle.size() + line.size() + name.size() + 2 > kHelpWidth) {
      out += fmt::format("{}{}\n", out.ends_with(",\n") ? "      " : kTitle, trim(line));
      line.clear();
    }
    line += name + (&name == &names.back() ? "" : ", ");
  }
  if (!line.empty()) out += fmt::format("{}{}\n", out.ends_with(",\n") ? "      " : kTitle, line);
}

}  // namespace

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string /*name*/,
                                     CLI::AppFormatMode /*mode*/) const {
  std::string page = make_page(*app, {.titles = true, .all = true});
  if (!fits(page)) page = make_page(*app, {.titles = true, .all = false});
  if (!fits(page)) page = make_page(*app, {.titles = false, .all = false});
  return page;
}

std::string HelpFormatter::make_page(const CLI::App& app, Layout layout) const {
  std::string out = fmt::format("Usage: {} [OPTION...]{}{}\n{}\n{}", name_, usage_.empty() ? "" : " ", usage_,
                                app.get_description(), layout.titles ? "\n" : "");
  std::vector<std::string> by_name;
  for (const std::string& group : app.get_groups()) {
    if (group.empty()) continue;
    std::string lines;
    append_options(lines, by_name, layout,
                   app.get_options([&](const CLI::Option* option) { return option->get_group() == group; }));
    if (layout.titles && !lines.empty()) out += group + ":\n";
    out += lines;
  }
  append_names(out, by_name);
  if (!app.get_footer().empty()) out += "Examples:\n" + app.get_footer();
  return out + fmt::format("More: man {}\n", name_.substr(0, name_.find(' ')));
}

bool HelpFormatter::is_rare(const CLI::Option& option) const {
  const std::vector<std::string> names = names_of(option);
  return std::any_of(names.begin(), names.end(), [&](const auto& name) { return rare_.contains(name); });
}

void HelpFormatter::append_options(std::string& out, std::vector<std::string>& by_name, Layout layout,
                                   const std::vector<const CLI::Option*>& options) const {
  for (std::size_t i = 0; i < options.size();) {
    std::string line = "  " + shown_names(*options[i]);
    const std::string help = options[i]->get_description();
    const std::size_t first = i;
    for (++i; i < options.size() && options[i]->get_description().empty(); ++i) {
      line += ", ";
      line += trim(shown_names(*options[i]));
    }
    if (!layout.all && is_rare(*options[first])) {
      for (std::size_t k = first; k < i; ++k) by_name.push_back(join(names_of(*options[k]), ", "));
      continue;
    }
    if (line.size() + 2 <= kHelpColumn) {
      line.resize(kHelpColumn, ' ');
    } else if (line.size() + 2 + help.size() <= kHelpWidth) {
      line += "  ";
    } else {
      out += line + "\n";
      line.assign(kHelpColumn, ' ');
    }
    out += line + help + "\n";
  }
}

}  // namespace fq::cli
