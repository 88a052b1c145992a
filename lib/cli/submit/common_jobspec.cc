#include "cli/submit/common_jobspec.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/submit/jobspec_builder.h"

namespace fq::cli {
namespace {

/// What stands at place `index` while the common jobspec is made: a text that nobody has.
std::string marker(std::size_t index) {
  return fmt::format("fq-place-{}-5c1d8a7e9b3f4026", index);
}

/// A text that a jobspec can hold where files are named, too.
bool is_plain(const std::string& text) {
  return is_valid_utf8(text) && text.find('\0') == std::string::npos;
}
bool is_file(const std::string& text) {
  return !text.empty() && text != "none" && text != "kvs";
}

std::string as_json(const std::string& text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

}  // namespace

std::string single_jobspec(const BulkOptions& job, const Surroundings& surroundings,
                           std::optional<std::uint32_t> number) {
  return dump_json(build_jobspec(job.submit, surroundings, job.cc ? number : std::nullopt));
}

std::unique_ptr<CommonJobspec> CommonJobspec::find(const BulkRows& rows, const Surroundings& surroundings) {
  auto common = std::make_unique<CommonJobspec>();
  if (!common->add_columns(rows) || !common->build(rows, surroundings)) return nullptr;
  return common;
}

bool CommonJobspec::add_columns(const BulkRows& rows) {
  BulkOptions pattern = rows.pattern();
  const SubmitOptions& submit = pattern.submit;
  if (rows.own_commands()) columns_.push_back({Field::command});
  for (std::size_t i = 0; i < submit.command.size(); ++i) {
    if (rows.varies(submit.command[i])) columns_.push_back({Field::word, i});
  }
  bool others = false;
  for_each_text(pattern.submit, [&](std::string_view option, const std::string& text) {
    if (!rows.varies(text)) return;
    if (option == "--job-name=") {
      columns_.push_back({Field::job_name});
    } else if (option == "--output=") {
      columns_.push_back({Field::output});
    } else if (option == "--error=") {
      columns_.push_back({Field::error});
    } else {
      others = true;
    }
  });
  if (pattern.cc) columns_.push_back({Field::number});
  return !others;
}

bool CommonJobspec::build(const BulkRows& rows, const Surroundings& surroundings) {
  SubmitOptions options = rows.pattern().submit;
  std::optional<std::uint32_t> number;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    switch (columns_[i].field) {
      case Field::command:
        options.command = {marker(i)};
        break;
      case Field::word:
        options.command[columns_[i].index] = marker(i);
        break;
      case Field::job_name:
        options.job_name = marker(i);
        break;
      case Field::output:
        options.output = marker(i);
        break;
      case Field::error:
        options.error = marker(i);
        break;
      case Field::number:
        number = 0;
        break;
    }
  }
  nlohmann::json document = build_jobspec(options, surroundings, number);
  if (number) document["attributes"]["system"]["environment"]["FLUX_JOB_CC"] = marker(columns_.size() - 1);
  const std::string text = dump_json(document);

  std::vector<std::pair<std::size_t, std::size_t>> places;  // position, column
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t at = text.find(as_json(marker(i)));
    if (at == std::string::npos) return false;
    places.emplace_back(at, i);
  }
  std::sort(places.begin(), places.end());
  std::vector<Column> ordered;
  std::size_t from = 0;
  for (const auto& [at, column] : places) {
    jobspec_.pieces.push_back(text.substr(from, at - from));
    from = at + as_json(marker(column)).size();
    ordered.push_back(columns_[column]);
  }
  jobspec_.pieces.push_back(text.substr(from));
  columns_ = std::move(ordered);

  // A real job proves it.
  const auto numbers = rows.numbers(0);
  const auto first = numbers ? std::optional{numbers->first()} : std::nullopt;
  const BulkOptions row = rows.options(0);
  const BulkOptions job = first ? with_copy_number(row, *first) : row;
  const auto own = texts(job.submit, first);
  return own && jobspec_.text(*own) == single_jobspec(job, surroundings, first);
}

std::optional<manager::JobTexts> CommonJobspec::texts(const SubmitOptions& job,
                                                      std::optional<std::uint32_t> number) const {
  manager::JobTexts texts;
  if (job.command.empty() || job.command.front().empty()) return std::nullopt;
  const auto add = [&](const std::string& text, bool fits = true) {
    texts.push_back(as_json(text));
    return fits && is_plain(text);
  };
  bool good = true;
  for (const Column& column : columns_) {
    switch (column.field) {
      case Field::command: {
        std::string words;
        for (const std::string& word : job.command) {
          if (!words.empty()) words += ',';
          words += as_json(word);
          good = good && is_plain(word);
        }
        texts.push_back(std::move(words));
        break;
      }
      case Field::word:
        good = add(job.command[column.index]) && good;
        break;
      case Field::job_name:
        good = add(*job.job_name) && good;
        break;
      case Field::output:
        good = add(*job.output, is_file(*job.output)) && good;
        break;
      case Field::error:
        good = add(*job.error, is_file(*job.error)) && good;
        break;
      case Field::number:
        good = add(std::to_string(*number)) && good;
        break;
    }
  }
  return good ? std::optional{std::move(texts)} : std::nullopt;
}

}  // namespace fq::cli
