#include "notation/signal.h"

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace fq::notation {

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

}  // namespace fq::notation
