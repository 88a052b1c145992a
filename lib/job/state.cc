#include "job/state.h"

#include <array>

namespace fq::job {
namespace {

constexpr std::array<std::string_view, kStateCount> kNames{"NEW", "DEPEND",  "PRIORITY", "SCHED",
                                                           "RUN", "CLEANUP", "INACTIVE"};
constexpr std::array<std::string_view, kStateCount> kAbbreviations{"N", "D", "P", "S", "R", "C", "I"};
constexpr std::array<std::string_view, 5> kResultNames{"", "COMPLETED", "FAILED", "CANCELED", "TIMEOUT"};
constexpr std::array<std::string_view, 5> kResultAbbreviations{"", "CD", "F", "CA", "TO"};

}  // namespace

std::string_view name(State state) {
  return kNames.at(static_cast<std::size_t>(state));
}
std::string_view abbreviation(State state) {
  return kAbbreviations.at(static_cast<std::size_t>(state));
}
std::string_view name(Result result) {
  return kResultNames.at(static_cast<std::size_t>(result));
}
std::string_view abbreviation(Result result) {
  return kResultAbbreviations.at(static_cast<std::size_t>(result));
}

}  // namespace fq::job
