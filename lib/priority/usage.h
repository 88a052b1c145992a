// What has been used, exact at any instant and without a clock that ticks: usage that halves every half-life,
// in closed form. While a user holds r of a resource from t0 on, having used U0 before, usage at t is
//
//   U(t) = U0 e^(-λΔ) + r (1 - e^(-λΔ)) / λ      Δ = t - t0, λ = ln 2 / half-life; without decay U0 + rΔ
//
// so that only an allocation and a release are written. Sums of such are such again: a bank's is that of all
// who are in it.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fq::priority {

/// The resources that are charged for, each in resource-seconds, energy in joules.
enum class Resource : std::uint8_t { core, gpu, node, memory, energy };
inline constexpr std::size_t kResources = 5;
/// As configuration and reports call them, in that order: `memory` counts GiB.
inline constexpr std::array<std::string_view, kResources> kResourceNames{"core", "gpu", "node", "memory",
                                                                         "energy"};
/// As JSON calls amounts of them.
inline constexpr std::array<std::string_view, kResources> kAmountNames{
    "core_seconds", "gpu_seconds", "node_seconds", "memory_seconds", "energy_joules"};
/// So many of them, the first ones, are held by jobs; what others take is told by hand.
inline constexpr std::size_t kHeldResources = 4;

/// An amount for each resource.
using Amounts = std::array<double, kResources>;

/// The rate of decay for a half-life in seconds; 0, and infinity, mean none.
[[nodiscard]] double decay_rate(double half_life_s);

class Usage {
 public:
  /// What was used until `time`, seconds since the epoch, decayed until then, and what is held from then on.
  /// The rest of a stored one.
  struct State {
    double time = 0;
    Amounts decayed{};
    Amounts held{};   ///< of each resource at the same time, whole numbers
    Amounts total{};  ///< until `time`, undecayed

    friend bool operator==(const State&, const State&) = default;
  };

  Usage() = default;
  explicit Usage(const State& state) : state_(state) {}

  [[nodiscard]] const State& state() const { return state_; }
  /// Decayed usage at `time`. A time before that of the state counts as that: usage never shrinks because a
  /// clock went back.
  [[nodiscard]] Amounts at(double time, double rate) const;
  /// Undecayed usage.
  [[nodiscard]] Amounts total_at(double time) const;

  /// Moves the state on to `time`; what `at` says of later times stays the same.
  void advance(double time, double rate);
  /// From `time` on so much more, or less, is held.
  void hold(const Amounts& amounts, double time, double rate);
  void let_go(const Amounts& amounts, double time, double rate);
  /// What a charge comes to for this usage, and, by shift, for those that it is part of.
  struct Shift {
    Amounts decayed{}, total{};
  };
  /// What was used at `at`, decayed until `time`; negative amounts are credited, as far as there is usage.
  [[nodiscard]] Shift shift_of(const Amounts& amounts, double at, double time, double rate) const;
  void shift(const Shift& by, double time, double rate);
  /// Sets the decayed usage; the totals stay.
  void set(const Amounts& decayed, double time, double rate);
  /// Adds what another has used, and holds.
  void add(const Usage& other, double time, double rate);

 private:
  State state_;
};

/// The one number that fair-share looks at: Σ weight × amount.
[[nodiscard]] double weighted(const Amounts& amounts, const Amounts& weights);

}  // namespace fq::priority
