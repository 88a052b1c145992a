#include "cli/submit/bulk_plan.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/submit/submission.h"
#include "document/jobspec/jobspec.h"
#include "request/jobspec_template.h"

namespace fq::cli {
namespace {

using notation::Idset;
using request::JobGroup;
using request::JobspecTemplate;

/// In a portion: texts that are put into a common jobspec are small, jobspecs are not.
constexpr std::size_t kMostRows = 65536;
constexpr std::size_t kMostJobspecs = 1024;
/// One more row is less than a jobspec may have.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

std::size_t bytes_of(const std::vector<std::string>& pieces) {
  std::size_t bytes = 0;
  for (const std::string& piece : pieces) bytes += piece.size();
  return bytes;
}

// What a store would say of the job, once all that come before it are stored.
void require_size(std::size_t bytes) {
  if (bytes > document::Jobspec::kMaxBytes)
    throw error(Kind::invalid, "jobspec: {} bytes are more than the {} allowed", bytes,
                document::Jobspec::kMaxBytes);
}

/// The surroundings, with files that are read once however many jobs name them.
Surroundings reading_once(Surroundings surroundings) {
  surroundings.read_file = [read = std::move(surroundings.read_file),
                            known = std::map<std::string, std::string>{}](const std::string& path) mutable {
    const auto found = known.find(path);
    return found != known.end() ? found->second : known.emplace(path, read(path)).first->second;
  };
  return surroundings;
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
  if (rows_.size() > 1 || numbers_) common_ = CommonJobspec::find(rows_, surroundings_);
}

void BulkPlan::shuffle() {
  rows_.shuffle();
  enter_row();
}

void BulkPlan::enter_row() {
  if (row_ == rows_.size()) return;
  row_options_ = rows_.options(row_);
  numbers_ = copy_numbers(row_options_);
}

BulkPlan::Portion BulkPlan::next(std::size_t most) {
  Portion portion;
  if (ready_) {
    portion = *std::exchange(ready_, std::nullopt);
    if (portion.jobs <= most) return portion;
    portion = {};
    rewind();
  }
  for (std::size_t first = row_;
       row_ < rows_.size() && row_ - first < kMostRows && portion.jobs < most && portion.bytes < kMostBytes &&
       portion.request.groups.size() < kMostJobspecs && portion.follow.size() < kMostRows;) {
    add_jobs(portion, most - portion.jobs);
  }
  return portion;
}

// The copies of the row, as many as fit; or one where each must be built by itself.
void BulkPlan::add_jobs(Portion& portion, std::size_t most) {
  auto texts = common_ ? common_->texts(row_options_) : std::nullopt;
  if (!texts) return add_job(portion);
  std::size_t bytes = 0;
  for (const request::NumberedText& text : *texts) bytes += bytes_of(text.pieces);
  const std::size_t common = bytes_of(common_->jobspec().pieces);
  require_size(common + bytes);
  portion.bytes += bytes;
  Idset copies;
  if (numbers_) copies = numbers_->first_n(same_follow_ ? most : std::min(most, kMostRows));
  if (portion.request.groups.empty() || portion.request.groups.back().rows.empty() ||
      portion.request.groups.back().copies != copies) {
    portion.request.groups.push_back(make_request(row_options_.submit, common_->jobspec()));
    portion.request.groups.back().copies = copies;
    portion.bytes += common;
  }
  portion.request.groups.back().rows.push_back(*std::move(texts));
  if (same_follow_ && portion.follow.empty()) portion.follow.push_back(row_options_.follow);
  if (!same_follow_ && copies.empty()) portion.follow.push_back(row_options_.follow);
  if (!same_follow_) {
    copies.for_each([&](std::uint32_t number) {
      portion.follow.push_back(with_copy_number(row_options_, number).follow);
    });
  }
  const std::size_t jobs = std::max<std::size_t>(1, copies.count());
  portion.jobs += jobs;
  advance(jobs);
}

void BulkPlan::add_job(Portion& portion) {
  const auto number = numbers_ ? std::optional{numbers_->first()} : std::nullopt;
  const BulkOptions job = number ? with_copy_number(row_options_, *number) : row_options_;
  const std::string jobspec = single_jobspec(job, surroundings_, number);
  require_size(jobspec.size());
  portion.bytes += jobspec.size();
  portion.request.groups.push_back(make_request(job.submit, JobspecTemplate::plain(jobspec)));
  if (!same_follow_ || portion.follow.empty()) portion.follow.push_back(job.follow);
  ++portion.jobs;
  advance(1);
}

// So many jobs of the row were taken.
void BulkPlan::advance(std::size_t jobs) {
  if (numbers_) *numbers_ = numbers_->subtract(numbers_->first_n(jobs));
  if (numbers_ && !numbers_->empty()) return;
  ++row_;
  enter_row();
}

void BulkPlan::check() {
  if (size_ <= kMostJobspecs) {
    ready_ = next(kMostJobspecs);
    return;
  }
  while (next(size_).jobs > 0) {
  }
  rewind();
}

void BulkPlan::rewind() {
  row_ = 0;
  enter_row();
}

}  // namespace fq::cli
