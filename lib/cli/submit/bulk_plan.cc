#include "cli/submit/bulk_plan.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/submit/submission.h"

namespace fq::cli {
namespace {

using manager::JobspecTemplate;
using manager::SubmitRequest;

/// Jobs of a portion: texts that are put into a common jobspec are small, jobspecs are not.
constexpr std::size_t kMostTexts = 65536;
constexpr std::size_t kMostJobspecs = 1024;

/// The surroundings, with files that are read once however many jobs name them.
Surroundings reading_once(Surroundings surroundings) {
  surroundings.read_file = [read = std::move(surroundings.read_file),
                            known = std::map<std::string, std::string>{}](const std::string& path) mutable {
    const auto found = known.find(path);
    return found != known.end() ? found->second : known.emplace(path, read(path)).first->second;
  };
  return surroundings;
}

/// The one jobspec of all copies, where they differ in texts only. Two numbers that nobody uses mark the
/// places; a real copy proves the result.
JobspecTemplate numbered_jobspec(const BulkOptions& options, const Surroundings& surroundings,
                                 std::uint32_t real_number) {
  constexpr std::uint32_t kFirst = 4111122223;
  constexpr std::uint32_t kSecond = 4222233334;
  const auto text = [&](std::uint32_t number) {
    return single_jobspec(with_copy_number(options, number), surroundings, number);
  };
  try {
    JobspecTemplate common = JobspecTemplate::between(text(kFirst), std::to_string(kFirst), text(kSecond),
                                                      std::to_string(kSecond));
    if (common.pieces.empty() || common.text(real_number) != text(real_number)) return {};
    return common;
  } catch (const Error&) {
    return {};  // the numbers do not fit where an option wants a small one
  }
}

}  // namespace

BulkPlan::BulkPlan(BulkOptions options, Surroundings surroundings)
    : surroundings_(reading_once(std::move(surroundings))), rows_(std::move(options)), size_(rows_.jobs()) {
  find_common();
}

BulkPlan::BulkPlan(BulkOptions options, BulkInputs inputs, const InputMethods& methods,
                   Surroundings surroundings)
    : surroundings_(reading_once(std::move(surroundings))),
      rows_(std::move(options), std::move(inputs), methods),
      size_(rows_.jobs()) {
  find_common();
}

void BulkPlan::refuse_shared_files() const {
  const SubmitOptions& submit = rows_.pattern().submit;
  const auto appends = [](const std::string& option) { return option == "output.mode=append"; };
  if (size_ < 2 || std::any_of(submit.setopt.begin(), submit.setopt.end(), appends)) return;
  const auto differs = [&](const std::string& text) {
    constexpr std::array<std::string_view, 3> kOwn{"{{id", "{{jobid", "{{tmpdir}}"};
    if (rows_.varies(text)) return true;
    if (submit.cwd && rows_.varies(*submit.cwd) && !text.starts_with('/')) return true;
    if (submit.job_name && rows_.varies(*submit.job_name) && text.find("{{name}}") != std::string::npos)
      return true;
    return std::any_of(kOwn.begin(), kOwn.end(),
                       [&](std::string_view tag) { return text.find(tag) != std::string::npos; });
  };
  for (const auto& [option, text] : {std::pair{"--output", &submit.output}, {"--error", &submit.error}}) {
    if (!*text || **text == "none" || **text == "kvs" || (*text)->starts_with("/dev/") || differs(**text))
      continue;
    throw Error{Kind::combination,
                fmt::format("{}: {} jobs would write to {}, each over what the others wrote", option, size_,
                            quote(**text)),
                "{{id}} in the name is the job's id; -o output.mode=append lets them share it"};
  }
}

void BulkPlan::find_common() {
  refuse_shared_files();
  enter_row();
  const JobFollow& follow = rows_.pattern().follow;
  for (const auto* text : {&follow.log, &follow.log_stderr, &follow.wait_event}) {
    if (*text && rows_.varies(**text)) same_follow_ = false;
  }
  if (rows_.size() > 1) {
    common_ = CommonJobspec::find(rows_, surroundings_);
  } else if (numbers_) {
    numbered_ = numbered_jobspec(row_options_, surroundings_, number_);
  }
}

void BulkPlan::shuffle() {
  rows_.shuffle();
  enter_row();
}

void BulkPlan::enter_row() {
  if (row_ == rows_.size()) return;
  row_options_ = rows_.options(row_);
  numbers_ = copy_numbers(row_options_);
  if (numbers_) number_ = numbers_->first();
}

BulkPlan::Portion BulkPlan::next(std::size_t most) {
  Portion portion;
  if (ready_) {
    portion = *std::exchange(ready_, std::nullopt);
    if (portion.jobs <= most) return portion;
    portion = {};
    rewind();
  }
  if (!numbered_.pieces.empty() && row_ < rows_.size()) {
    add_copies(portion, most);
    return portion;
  }
  while (row_ < rows_.size() && portion.jobs < std::min(most, kMostTexts) &&
         portion.requests.size() < kMostJobspecs) {
    add_job(portion);
    const auto next = numbers_ ? numbers_->next(number_) : std::nullopt;
    if (next) {
      number_ = *next;
    } else {
      ++row_;
      enter_row();
    }
  }
  return portion;
}

void BulkPlan::add_copies(Portion& portion, std::size_t most) {
  SubmitRequest request = make_request(row_options_.submit, numbered_);
  request.copies = numbers_->first_n(same_follow_ ? most : std::min(most, kMostTexts));
  *numbers_ = numbers_->subtract(request.copies);
  portion.jobs = request.copies.count();
  if (same_follow_) {
    portion.follow = {row_options_.follow};
  } else {
    request.copies.for_each(
        [&](std::uint32_t number) { add_follow(portion, with_copy_number(row_options_, number).follow); });
  }
  portion.requests.push_back(std::move(request));
  if (numbers_->empty()) ++row_;
}

void BulkPlan::add_job(Portion& portion) {
  const auto number = numbers_ ? std::optional{number_} : std::nullopt;
  const BulkOptions job = number ? with_copy_number(row_options_, *number) : row_options_;
  auto texts = common_ ? common_->texts(job.submit, number) : std::nullopt;
  if (!texts) {
    const std::string jobspec = single_jobspec(job, surroundings_, number);
    portion.requests.push_back(make_request(job.submit, JobspecTemplate::plain(jobspec)));
  } else {
    if (portion.requests.empty() || portion.requests.back().texts.empty()) {
      portion.requests.push_back(make_request(job.submit, common_->jobspec()));
    }
    portion.requests.back().texts.push_back(*std::move(texts));
  }
  ++portion.jobs;
  add_follow(portion, job.follow);
}

void BulkPlan::add_follow(Portion& portion, const JobFollow& follow) const {
  if (!same_follow_ || portion.follow.empty()) portion.follow.push_back(follow);
}

void BulkPlan::check() {
  if (!numbered_.pieces.empty()) {  // of which the jobspec was built
    static_cast<void>(make_request(row_options_.submit, numbered_));
    return;
  }
  if (size_ <= kMostJobspecs) {
    ready_ = next(kMostJobspecs);
    return;
  }
  while (next(kMostTexts).jobs > 0) {
  }
  rewind();
}

void BulkPlan::rewind() {
  row_ = 0;
  enter_row();
}

}  // namespace fq::cli
