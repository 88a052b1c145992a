#include "cli/job_values.h"

#include <csignal>
#include <cstring>
#include <string>
#include <unordered_set>

#include "base/error.h"
#include "base/text.h"
#include "job/job.h"

namespace fq::cli {

std::uint8_t parse_urgency(std::string_view text) {
  if (text == "default") return job::kUrgencyDefault;
  if (text == "hold") return job::kUrgencyHold;
  if (text == "expedite") return job::kUrgencyExpedite;
  const auto number = parse_u64(text);
  if (!number || *number > job::kUrgencyExpedite) {
    throw error(Kind::invalid, "expected 0 to {}, hold, default or expedite, got {}", job::kUrgencyExpedite,
                quote(text));
  }
  return static_cast<std::uint8_t>(*number);
}

int parse_signal(std::string_view text) {
  constexpr int kLastSignal = 64;
  if (const auto number = parse_u64(text)) {
    if (*number >= 1 && *number <= kLastSignal) return static_cast<int>(*number);
    throw error(Kind::invalid, "{} is not a signal: expected 1 to {}", quote(text), kLastSignal);
  }
  const std::string_view bare = text.starts_with("SIG") ? text.substr(3) : text;
  std::vector<std::string> known;
  for (int number = 1; number < NSIG; ++number) {
    const char* abbreviation = ::sigabbrev_np(number);
    if (abbreviation == nullptr) continue;
    if (bare == abbreviation) return number;
    known.emplace_back(abbreviation);
  }
  throw Error{Kind::invalid, fmt::format("{} is not a signal", quote(text)), did_you_mean(bare, known)};
}

std::vector<notation::JobId> parse_job_ids(const std::vector<std::string>& texts) {
  std::vector<notation::JobId> ids;
  std::unordered_set<notation::JobId> seen;
  for (const std::string& text : texts) {
    const notation::JobId id = notation::parse_job_id(text);
    if (seen.insert(id).second) ids.push_back(id);
  }
  return ids;
}

}  // namespace fq::cli
