#include "cli/frame/job_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/text.h"
#include "job/job.h"

namespace fq::cli {
namespace {

/// What was typed for the ids that are printed otherwise, by what is printed.
std::unordered_map<std::string, std::string>& typed_ids() {
  static std::unordered_map<std::string, std::string> typed;
  return typed;
}

/// True for a byte of a word: a letter, a digit, or one of a character beyond ASCII, as `ƒ` is.
bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

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

notation::JobId parse_job_id(const std::string& text) {
  try {
    const notation::JobId id = notation::parse_job_id(text);
    std::string printed = notation::to_f58(id);
    if (text == printed) {
      typed_ids().erase(printed);
    } else {
      typed_ids().insert_or_assign(std::move(printed), text);
    }
    return id;
  } catch (const Error& failure) {
    throw Error{Kind::usage, failure.what(), failure.hint()};
  }
}

std::vector<notation::JobId> parse_job_ids(const std::vector<std::string>& texts) {
  std::vector<notation::JobId> ids;
  std::unordered_set<notation::JobId> seen;
  for (const std::string& text : texts) {
    const notation::JobId id = parse_job_id(text);
    if (seen.insert(id).second) ids.push_back(id);
  }
  return ids;
}

std::string as_typed(std::string_view message) {
  if (typed_ids().empty()) return std::string{message};
  std::string out;
  for (auto at = message.begin(); at != message.end();) {
    const auto word = std::find_if(at, message.end(), is_of_word);
    const auto end = std::find_if_not(word, message.end(), is_of_word);
    out.append(at, word);
    const auto typed = typed_ids().find(std::string(word, end));
    out += typed == typed_ids().end() ? std::string(word, end) : typed->second;
    at = end;
  }
  return out;
}

}  // namespace fq::cli
