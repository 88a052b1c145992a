#include "cli/submit/common_jobspec.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/frame/key_values.h"
#include "cli/submit/jobspec_builder.h"
#include "request/jobspec_template.h"

namespace fq::cli {
namespace {

using nlohmann::json;
using request::JobTexts;
using request::NumberedText;

constexpr std::string_view kCopyVariable = "FLUX_JOB_CC";

/// The texts of the options, those of the command last.
std::vector<const std::string*> texts_of(BulkOptions& options) {
  std::vector<const std::string*> texts;
  for_each_text(options, [&](std::string_view, const std::string& text) { texts.push_back(&text); });
  for (const std::string& word : options.submit.command) texts.push_back(&word);
  return texts;
}

bool is_storable(const std::string& text) {
  return is_valid_utf8(text) && text.find('\0') == std::string::npos;
}

std::string as_json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

/// As the JSON text of a string.
NumberedText as_json(std::vector<std::string> pieces) {
  if (pieces.size() == 1) {
    pieces.front() = as_json(std::string_view{pieces.front()});
    return {std::move(pieces)};
  }
  for (std::string& piece : pieces) {
    const std::string quoted = as_json(std::string_view{piece});
    piece = quoted.substr(1, quoted.size() - 2);
  }
  pieces.front().insert(0, 1, '"');
  pieces.back().push_back('"');
  return {std::move(pieces)};
}

std::vector<std::string> system_path(std::vector<std::string> rest) {
  rest.insert(rest.begin(), {"attributes", "system"});
  return rest;
}

std::vector<std::string> stream_path(std::string_view list, std::string_view stream) {
  return system_path({"shell", "options", std::string{list}, std::string{stream}, "path"});
}

/// Whether a rule sets its variable to the text as it stands there.
bool sets_plainly(std::string_view rule) {
  const std::size_t equals = rule.find('=');
  return equals != std::string_view::npos && equals > 0 && rule.front() != '-' && rule.front() != '^' &&
         rule.find('$', equals) == std::string_view::npos &&
         rule.find("{{", equals) == std::string_view::npos;
}

std::string_view variable_of(std::string_view rule) {
  return rule.substr(0, rule.find('='));
}

/// Whether what the rule sets is what the job gets: no later one looks at it, or sets it again.
bool holds(const BulkRows& rows, const std::vector<EnvRule>& rules, std::size_t at) {
  const std::string_view name = variable_of(rules[at].text);
  if (!sets_plainly(rules[at].text) || rows.varies(name) || name == kCopyVariable) return false;
  if (name.find('.') != std::string_view::npos) return false;  // it could not be told from a path of -S
  return std::all_of(rules.begin() + static_cast<std::ptrdiff_t>(at) + 1, rules.end(),
                     [&](const EnvRule& later) {
                       const std::string_view other = variable_of(later.text);
                       return sets_plainly(later.text) && !rows.varies(other) && other != name;
                     });
}

/// Whether setting one may change what stands at the other: either leads to the other.
bool overlap(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  const std::size_t shorter = std::min(one.size(), other.size());
  return std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(shorter), other.begin());
}

std::vector<std::string> steps_of(std::string_view dotted) {
  std::vector<std::string> words;
  for (const std::string_view word : split(dotted, '.')) words.emplace_back(word);
  return words;
}

/// The text of a document as dump_json makes it, cut where values differ from job to job.
class Cutter {
 public:
  Cutter(const json& document) : document_(&document) {}

  /// The string that `path` leads to is cut out. False where there is none.
  bool add_place(const std::vector<std::string>& path, std::size_t column) {
    json::json_pointer at;
    for (const std::string& step : path) at.push_back(step);
    if (!document_->contains(at) || !document_->at(at).is_string()) return false;
    places_.emplace(&document_->at(at), column);
    while (!at.empty()) {
      at.pop_back();
      ancestors_.insert(&document_->at(at));
    }
    return true;
  }

  void run() {
    write(*document_);
    pieces.push_back(std::move(text_));
  }

  std::vector<std::string> pieces;
  std::vector<std::size_t> columns;  ///< at the cuts

 private:
  void write(const json& value) {
    if (const auto place = places_.find(&value); place != places_.end()) {
      pieces.push_back(std::exchange(text_, {}));
      columns.push_back(place->second);
    } else if (!ancestors_.contains(&value)) {
      append_json(text_, value);
    } else if (value.is_array()) {
      char before = '[';
      for (const json& element : value) {
        text_ += std::exchange(before, ',');
        write(element);
      }
      text_ += ']';
    } else {
      char before = '{';
      for (const auto& [key, member] : value.items()) {
        text_ += std::exchange(before, ',');
        append_json_string(text_, key);
        text_ += ':';
        write(member);
      }
      text_ += '}';
    }
  }

  const json* document_;
  std::set<const json*> ancestors_;
  std::map<const json*, std::size_t> places_;
  std::string text_;
};

}  // namespace

std::string single_jobspec(const BulkOptions& job, const Surroundings& surroundings,
                           std::optional<std::uint32_t> number) {
  return dump_json(build_jobspec(job.submit, surroundings, job.cc ? number : std::nullopt));
}

std::unique_ptr<CommonJobspec> CommonJobspec::find(const BulkRows& rows, const Surroundings& surroundings) {
  std::unique_ptr<CommonJobspec> common(new CommonJobspec(surroundings));
  BulkOptions pattern = rows.pattern();
  common->copies_ = pattern.cc || pattern.bcc;
  if (!common->find_columns(rows, pattern)) return nullptr;
  if (rows.own_commands()) pattern.submit.command = {"command"};
  try {
    if (common->may_overwrite(pattern.submit)) return nullptr;
    const auto copy = pattern.cc ? std::optional<std::uint32_t>{0} : std::nullopt;
    return common->cut(build_jobspec(pattern.submit, surroundings, copy)) ? std::move(common) : nullptr;
  } catch (const Error&) {
    return nullptr;  // each job says by itself what is wrong with it
  }
}

// Kept in step with build_jobspec: a text that does not stand in the jobspec as it is has no column.
bool CommonJobspec::find_columns(const BulkRows& rows, BulkOptions& pattern) {
  static const std::map<std::string_view, std::pair<Kind, std::vector<std::string>>> kSingle = {
      {"--job-name=", {Kind::text, system_path({"job", "name"})}},
      {"--cwd=", {Kind::directory, system_path({"cwd"})}},
      {"--input=", {Kind::input_file, stream_path("input", "stdin")}},
      {"--output=", {Kind::output_file, stream_path("output", "stdout")}},
      {"--error=", {Kind::output_file, stream_path("output", "stderr")}},
  };
  // What is done once a job is submitted, and how many there are, is not in it.
  static const std::set<std::string_view> kElsewhere = {
      "--log=", "--log-stderr=", "--wait-event=", "--cc=", "--bcc="};
  std::size_t index = 0, rule = 0;
  bool all = true;
  for_each_text(pattern, [&](std::string_view option, const std::string& text) {
    const std::size_t at = index++;
    const std::size_t at_rule = option == "--env=" ? rule++ : 0;
    if (!rows.varies(text) || kElsewhere.contains(option)) return;
    if (option == "--input=" && surroundings_.elsewhere) {
      all = false;  // each job takes its file along
    } else if (const auto single = kSingle.find(option); single != kSingle.end()) {
      columns_.push_back({single->second.first, at, single->second.second});
    } else if (option == "--env=" && holds(rows, pattern.submit.env, at_rule)) {
      columns_.push_back({Kind::variable, at, system_path({"environment", std::string{variable_of(text)}})});
    } else {
      all = false;
    }
  });
  for (std::size_t word = 0; word < pattern.submit.command.size(); ++word, ++index) {
    if (rows.varies(pattern.submit.command[word]))
      columns_.push_back({Kind::text, index, {"tasks", "0", "command", std::to_string(word)}});
  }
  if (rows.own_commands()) columns_.push_back({Kind::command_line, index, {"tasks", "0", "command", "0"}});
  if (pattern.cc)
    columns_.push_back({Kind::number, 0, system_path({"environment", std::string{kCopyVariable}})});
  return all;
}

// Whether -o or -S may set what stands at a place.
bool CommonJobspec::may_overwrite(const SubmitOptions& options) const {
  const auto overwrites = [&](const std::string& path) {
    return std::any_of(columns_.begin(), columns_.end(),
                       [&](const Column& column) { return overlap(column.path, steps_of(path)); });
  };
  const auto key = [&](const std::string& text) {
    return parse_key_value(text, surroundings_.read_file).first;
  };
  return std::any_of(options.setopt.begin(), options.setopt.end(),
                     [&](const std::string& text) {
                       return overwrites("attributes.system.shell.options." + key(text));
                     }) ||
         std::any_of(options.setattr.begin(), options.setattr.end(),
                     [&](const std::string& text) { return overwrites(attribute_path(key(text))); });
}

bool CommonJobspec::cut(const json& document) {
  Cutter cutter(document);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!cutter.add_place(columns_[i].path, i)) return false;
  }
  cutter.run();
  jobspec_.pieces = std::move(cutter.pieces);
  std::vector<Column> ordered;
  for (const std::size_t column : cutter.columns) ordered.push_back(std::move(columns_[column]));
  columns_ = std::move(ordered);
  return true;
}

std::optional<JobTexts> CommonJobspec::texts(BulkOptions& row) const {
  const std::vector<std::string>& command = row.submit.command;
  if (command.empty() || command.front().empty()) return std::nullopt;
  const std::vector<const std::string*> all = texts_of(row);
  JobTexts texts;
  texts.reserve(columns_.size());
  for (const Column& column : columns_) {
    if (column.kind == Kind::number) {
      texts.push_back(NumberedText{{"\"", "\""}});
    } else if (column.kind == Kind::command_line) {
      JobTexts words;
      for (const std::string& word : command) {
        if (!add(words, Kind::text, word)) return std::nullopt;
      }
      NumberedText line = std::move(words.front());
      for (auto word = words.begin() + 1; word != words.end(); ++word) {
        line.pieces.back().append(",").append(word->pieces.front());
        line.pieces.insert(line.pieces.end(), word->pieces.begin() + 1, word->pieces.end());
      }
      texts.push_back(std::move(line));
    } else if (!add(texts, column.kind, *all[column.text])) {
      return std::nullopt;
    }
  }
  return texts;
}

// Adds what stands in the jobspec for a text. False where that takes the whole jobspec.
bool CommonJobspec::add(JobTexts& texts, Kind kind, const std::string& text) const {
  if (!is_storable(text)) return false;
  std::string_view value = text;
  switch (kind) {
    case Kind::output_file:
      if (text.empty() || text == "none" || text == "kvs") return false;
      break;
    case Kind::input_file:  // or it may name tasks
      if (text == "all" || text.find_first_not_of("0123456789,-[]{}c") == std::string::npos) return false;
      break;
    case Kind::variable:
      if (!sets_plainly(text)) return false;
      value.remove_prefix(text.find('=') + 1);
      break;
    case Kind::directory:
      if (text.empty()) return false;
      break;
    case Kind::text:
    case Kind::command_line:
    case Kind::number:
      break;
  }
  std::vector<std::string> pieces;
  if (copies_) {
    pieces = split_at_copy_number(value);
  } else {
    pieces.emplace_back(value);
  }
  if (kind == Kind::directory) {
    const std::string directory = working_directory(text, surroundings_);
    pieces.front().insert(0, directory.substr(0, directory.size() - text.size()));
  }
  texts.push_back(as_json(std::move(pieces)));
  return true;
}

}  // namespace fq::cli
