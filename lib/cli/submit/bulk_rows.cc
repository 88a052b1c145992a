#include "cli/submit/bulk_rows.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "base/error.h"
#include "base/shell_words.h"
#include "base/text.h"

namespace fq::cli {

template <typename Visit>
void BulkRows::for_each(BulkOptions& options, const Visit& visit) {
  for_each_text(options, visit);
  for (std::string& word : options.submit.command) visit({}, word);
}

BulkRows::BulkRows(BulkOptions options) : pattern_(std::move(options)) {}

BulkRows::BulkRows(BulkOptions options, BulkInputs inputs, const InputMethods& methods)
    : pattern_(std::move(options)), inputs_(std::move(inputs)), methods_(&methods) {
  pattern_.submit.command = inputs_->command();
  const bool copies = pattern_.cc || pattern_.bcc;
  for_each(pattern_, [&](std::string_view option, const std::string& text) {
    const std::string where = fmt::format("{}{}", option.empty() ? "command " : option, quote(text));
    try {
      texts_.emplace_back(text, inputs_->width(), methods);
    } catch (const Error& failure) {
      throw Error{Kind::usage, fmt::format("{}: {}", where, failure.what()), failure.hint()};
    }
    if (!copies && has_copy_number(text))
      throw error(Kind::combination, "{}: {{cc}} needs --cc or --bcc", where);
  });
}

void BulkRows::shuffle() {
  order_.resize(size());
  std::iota(order_.begin(), order_.end(), 0U);
  std::shuffle(order_.begin(), order_.end(), std::mt19937_64{std::random_device{}()});
}

InputRow BulkRows::input_row(std::size_t row) const {
  return inputs_->row(order_.empty() ? row : order_[row]);
}

BulkOptions BulkRows::options(std::size_t row) const {
  BulkOptions options = pattern_;
  if (!inputs_) return options;
  const InputRow inputs = input_row(row);
  try {
    auto text = texts_.begin();
    for_each(options, [&](std::string_view, std::string& value) {
      if (!text->is_constant()) value = text->render(inputs);
      ++text;
    });
    if (own_commands()) options.submit.command = split_shell_words(inputs.inputs.front());
  } catch (const Error& failure) {
    throw Error{Kind::usage, failure.what(), failure.hint()};
  }
  return options;
}

std::optional<notation::Idset> BulkRows::numbers(std::size_t row) const {
  return copy_numbers(inputs_ ? options(row) : pattern_);
}

std::size_t BulkRows::jobs() const {
  const auto count = [](const std::optional<notation::Idset>& numbers) {
    return numbers ? static_cast<std::size_t>(numbers->count()) : std::size_t{1};
  };
  if (!inputs_) return count(numbers(0));
  std::size_t jobs = 0;
  if (own_numbers()) {
    for (std::size_t row = 0; row < size(); ++row) jobs += count(numbers(row));
  } else {
    jobs = size() * count(copy_numbers(pattern_));
  }
  if (jobs > kMaxCopies) throw error(Kind::usage, "more than {} jobs", kMaxCopies);
  return jobs;
}

bool BulkRows::varies(std::string_view text) const {
  if ((pattern_.cc || pattern_.bcc) && has_copy_number(text)) return true;
  return inputs_ && !InputText(text, inputs_->width(), *methods_).is_constant();
}

bool BulkRows::own_numbers() const {
  return varies(pattern_.cc.value_or("")) || varies(pattern_.bcc.value_or(""));
}

std::string BulkRows::call_job(std::size_t job) const {
  std::size_t row = 0;
  std::optional<notation::Idset> copies = numbers(row);
  const auto count = [&] { return copies ? copies->count() : 1; };
  if (own_numbers()) {
    for (; job >= count() && row + 1 < size(); copies = numbers(++row)) job -= count();
  } else {
    row = job / count();
    job %= count();
  }
  std::vector<std::string> words;
  if (size() > 1) {
    for (const std::string_view input : input_row(row).inputs) words.push_back(quote(input));
    words.front().insert(0, words.size() == 1 ? "input " : "inputs ");
  }
  if (copies) words.push_back(fmt::format("copy {}", copies->first_n(job + 1).last()));
  return join(words, ", ");
}

std::string BulkRows::show(std::size_t row) const {
  std::vector<std::string> words;
  BulkOptions job = options(row);
  for_each_text(job, [&](std::string_view option, const std::string& value) {
    words.push_back(std::string{option} + shell_quote(value));
  });
  if (job.submit.exclusive) words.emplace_back("-x");
  if (job.submit.unbuffered) words.emplace_back("-u");
  if (job.submit.label_io) words.emplace_back("-l");
  for (const std::string& word : job.submit.command) words.push_back(shell_quote(word));
  return join(words, " ");
}

}  // namespace fq::cli
