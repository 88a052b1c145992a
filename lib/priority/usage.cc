#include "priority/usage.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace fq::priority {

namespace {

// Less than this, where nothing is held, is nothing.
constexpr double kNegligible = 1e-3;

}  // namespace

double decay_rate(double half_life_s) {
  return half_life_s > 0 && std::isfinite(half_life_s) ? std::numbers::ln2 / half_life_s : 0;
}

Amounts Usage::at(double time, double rate) const {
  const double since = std::max(time - state_.time, 0.0);
  const double kept = std::exp(-rate * since);
  // What one unit that was held all the time comes to.
  const double held = rate > 0 ? -std::expm1(-rate * since) / rate : since;
  Amounts usage{};
  for (std::size_t i = 0; i < kResources; ++i) {
    usage[i] = state_.decayed[i] * kept + state_.held[i] * held;
    if (state_.held[i] == 0 && usage[i] < kNegligible) usage[i] = 0;
  }
  return usage;
}

Amounts Usage::total_at(double time) const {
  const double since = std::max(time - state_.time, 0.0);
  Amounts total = state_.total;
  for (std::size_t i = 0; i < kResources; ++i) total[i] += state_.held[i] * since;
  return total;
}

void Usage::advance(double time, double rate) {
  if (time <= state_.time) return;
  const Amounts decayed = at(time, rate), total = total_at(time);
  state_ = {time, decayed, state_.held, total};
}

void Usage::hold(const Amounts& amounts, double time, double rate) {
  advance(time, rate);
  for (std::size_t i = 0; i < kResources; ++i) state_.held[i] += amounts[i];
}

void Usage::let_go(const Amounts& amounts, double time, double rate) {
  advance(time, rate);
  for (std::size_t i = 0; i < kResources; ++i) state_.held[i] = std::max(state_.held[i] - amounts[i], 0.0);
}

Usage::Shift Usage::shift_of(const Amounts& amounts, double at, double time, double rate) const {
  const double then = std::max(time, state_.time);
  const double kept = std::exp(-rate * std::max(then - at, 0.0));
  const Amounts decayed = this->at(then, rate), total = total_at(then);
  Shift by;
  for (std::size_t i = 0; i < kResources; ++i) {
    by.decayed[i] = std::max(amounts[i] * kept, -decayed[i]);
    by.total[i] = std::max(amounts[i], -total[i]);
  }
  return by;
}

void Usage::shift(const Shift& by, double time, double rate) {
  advance(time, rate);
  for (std::size_t i = 0; i < kResources; ++i) {
    state_.decayed[i] = std::max(state_.decayed[i] + by.decayed[i], 0.0);
    state_.total[i] = std::max(state_.total[i] + by.total[i], 0.0);
  }
}

void Usage::set(const Amounts& decayed, double time, double rate) {
  advance(time, rate);
  state_.decayed = decayed;
}

void Usage::add(const Usage& other, double time, double rate) {
  Usage moved = other;
  moved.advance(time, rate);
  advance(time, rate);
  for (std::size_t i = 0; i < kResources; ++i) {
    state_.decayed[i] += moved.state_.decayed[i];
    state_.held[i] += moved.state_.held[i];
    state_.total[i] += moved.state_.total[i];
  }
}

double weighted(const Amounts& amounts, const Amounts& weights) {
  return std::inner_product(amounts.begin(), amounts.end(), weights.begin(), 0.0);
}

}  // namespace fq::priority
