#include "priority/parameters.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "notation/fsd.h"
#include "priority/scheme.h"

namespace fq::priority {

namespace {

template <typename Enum>
struct Name {
  std::string_view name;
  Enum value;
};
constexpr std::array kSchemes{Name<Scheme>{"none", Scheme::none}, Name<Scheme>{"fcfs", Scheme::fcfs},
                              Name<Scheme>{"multifactor", Scheme::multifactor}};
constexpr std::array kAges{Name<AgeFrom>{"submit", AgeFrom::submit},
                           Name<AgeFrom>{"eligible", AgeFrom::eligible}};
constexpr std::array kFavors{Name<Favor>{"large", Favor::large}, Name<Favor>{"small", Favor::small}};

template <typename Names>
auto chosen(const JsonAt& at, std::string_view what, const Names& names) {
  const std::string& wanted = at.as_string();
  std::vector<std::string> known;
  for (const auto& each : names) {
    if (each.name == wanted) return each.value;
    known.emplace_back(each.name);
  }
  throw Error{Kind::invalid,
              fmt::format("there is no {} {}: expected one of {}", what, quote(wanted), join(known, ", ")),
              did_you_mean(wanted, known)};
}

double number_within(const JsonAt& at, double least, double most) {
  const double number = at.as_number();
  if (number >= least && number <= most) return number;
  throw at.fail(fmt::format("expected a number from {} to {}, got {}", least, most, number));
}

// A duration (RFC 23) that is longer than none.
double span(const JsonAt& at) {
  double seconds = 0;
  try {
    seconds = notation::parse_fsd(at.as_string());
  } catch (const Error& failure) {
    throw failure.within(at.path());
  }
  if (seconds > 0) return seconds;
  throw at.fail("expected a duration of more than 0");
}

std::string plain(std::string_view name) {
  std::string letters;
  std::copy_if(name.begin(), name.end(), std::back_inserter(letters),
               [](char c) { return c != '-' && c != '_'; });
  return letters;
}

}  // namespace

const FactorName& factor_named(std::string_view name) {
  std::vector<std::string> known;
  for (const FactorName& each : kFactorNames) {
    if (plain(each.name) == plain(name)) return each;
    known.emplace_back(each.name);
  }
  throw Error{Kind::invalid,
              fmt::format("there is no factor {}: expected one of {}", quote(name), join(known, ", ")),
              did_you_mean(name, known)};
}

Factors read_weights(const JsonAt& at, Factors weights) {
  for (const auto& [name, value] : at.object().value().items()) {
    const FactorName* factor = nullptr;
    try {
      factor = &factor_named(name);
    } catch (const Error& failure) {
      throw at.path().empty() ? failure : failure.within(at.path());
    }
    weights.*factor->member = number_within(at.at(name), 0, kMostPoints);
  }
  double sum = 0;
  for (const FactorName& each : kFactorNames) sum += weights.*each.member;
  if (sum > kMostPoints)
    throw at.fail(
        fmt::format("the weights add up to {:.0f}, a priority is at most {:.0f}", sum, kMostPoints));
  return weights;
}

Parameters read_parameters(const nlohmann::json& table) {
  const JsonAt at{table, {}};
  at.allow_only({"age-from", "favor", "max-wait", "period", "queue-factor", "scheme", "weights"});
  Parameters parameters;
  if (const auto scheme = at.find("scheme")) parameters.scheme = chosen(*scheme, "priority scheme", kSchemes);
  if (const auto weights = at.find("weights"))
    parameters.weights = read_weights(*weights, parameters.weights);
  if (const auto wait = at.find("max-wait")) parameters.max_wait_s = span(*wait);
  if (const auto from = at.find("age-from")) parameters.age_from = chosen(*from, "start of a wait", kAges);
  if (const auto favor = at.find("favor")) parameters.favor = chosen(*favor, "job size to favor", kFavors);
  if (const auto factor = at.find("queue-factor")) parameters.queue_factor = number_within(*factor, 0, 1);
  if (const auto period = at.find("period")) parameters.period_s = span(*period);
  return parameters;
}

std::string_view name_of(Scheme scheme) {
  return std::find_if(kSchemes.begin(), kSchemes.end(),
                      [&](const auto& each) { return each.value == scheme; })
      ->name;
}

}  // namespace fq::priority
