#include "cli/jobs/job_pattern.h"

#include "base/error.h"
#include "base/text.h"

namespace fq::cli {
namespace {

std::optional<std::pair<notation::JobId, notation::JobId>> parse_range(std::string_view word) {
  const std::size_t dots = word.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  try {
    return std::pair{notation::parse_job_id(word.substr(0, dots)),
                     notation::parse_job_id(word.substr(dots + 2))};
  } catch (const Error&) {
    return std::nullopt;  // two dots in an expression
  }
}

}  // namespace

JobPattern::JobPattern(const std::vector<std::string>& words) {
  constexpr std::string_view kName = "name:";
  for (const std::string& word : words) {
    const bool forced = word.starts_with(kName);
    if (const auto range = forced ? std::nullopt : parse_range(word)) {
      if (range_) throw error(Kind::usage, "only one range of job ids can be given, got {} too", quote(word));
      if (range->second < range->first)
        throw error(Kind::usage, "range {}: its end comes before its start", quote(word));
      range_ = range;
      continue;
    }
    if (name_) {
      throw Error{Kind::usage, fmt::format("only one expression can be given, got {} too", quote(word)),
                  "'a|b' fits either"};
    }
    const std::string text = forced ? word.substr(kName.size()) : word;
    if (text.empty()) throw Error{Kind::usage, "the expression is empty", "'.' fits any name"};
    name_.emplace(text);
  }
}

bool JobPattern::matches(const job::Job& job) const {
  if (range_ && (job.id < range_->first || range_->second < job.id)) return false;
  return !name_ || name_->found_in(job.name);
}

}  // namespace fq::cli
