// Job states and results of RFC 21, with their names and one-letter forms.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fq::job {

/// RFC 21 states, in the order of a job's life. The values are stored: never renumber.
enum class State : std::uint8_t {
  fresh = 0,  ///< NEW: submitted, not validated
  depend = 1,
  priority = 2,
  sched = 3,
  run = 4,
  cleanup = 5,
  inactive = 6,
};
inline constexpr int kStateCount = 7;

/// How an inactive job ended. The values are stored: never renumber.
enum class Result : std::uint8_t { none = 0, completed = 1, failed = 2, canceled = 3, timeout = 4 };

/// `NEW`, `DEPEND`, …, `INACTIVE`.
[[nodiscard]] std::string_view name(State state);
/// `N`, `D`, `P`, `S`, `R`, `C`, `I`.
[[nodiscard]] std::string_view abbreviation(State state);
/// `COMPLETED`, `FAILED`, `CANCELED`, `TIMEOUT`; empty for none.
[[nodiscard]] std::string_view name(Result result);
/// `CD`, `F`, `CA`, `TO`; empty for none.
[[nodiscard]] std::string_view abbreviation(Result result);

// The virtual states of RFC 21.
[[nodiscard]] constexpr bool is_pending(State s) {
  return s >= State::depend && s <= State::sched;
}
[[nodiscard]] constexpr bool is_running(State s) {
  return s == State::run || s == State::cleanup;
}
[[nodiscard]] constexpr bool is_active(State s) {
  return s != State::inactive;
}

}  // namespace fq::job
