// What a queue's `policy.priority` says: by which scheme its jobs are ordered, and with which weights.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace fq {
class JsonAt;
}

namespace fq::priority {

enum class Scheme : std::uint8_t { none, fcfs, multifactor };

/// What a job's wait counts from: its submission, or the release of its last dependency.
enum class AgeFrom : std::uint8_t { submit, eligible };

/// Whether the factor of the job size favours large jobs, or small ones.
enum class Favor : std::uint8_t { large, small };

/// A number for each of the six factors: a factor, a weight or the points that both make.
struct Factors {
  double wait_time = 0, fair_share = 0, qos = 0, queue = 0, job_size = 0, user = 0;

  friend bool operator==(const Factors&, const Factors&) = default;
};

struct FactorName {
  std::string_view name;
  double Factors::*member;
};
/// Their names in the configuration, in the order in which they are shown; JSON that users give or get has
/// `_` for `-`.
inline constexpr std::array<FactorName, 6> kFactorNames{{{"wait-time", &Factors::wait_time},
                                                         {"fair-share", &Factors::fair_share},
                                                         {"qos", &Factors::qos},
                                                         {"queue", &Factors::queue},
                                                         {"job-size", &Factors::job_size},
                                                         {"user", &Factors::user}}};
/// The factor of that name, `-` and `_` in it passed over. Throws Error{invalid} with a near match as hint.
[[nodiscard]] const FactorName& factor_named(std::string_view name);

struct Parameters {
  Scheme scheme = Scheme::none;
  Factors weights{1000, 100000, 10000, 10000, 0, 1000};
  double max_wait_s = 7.0 * 24 * 3600;  ///< who has waited this long gains no more
  AgeFrom age_from = AgeFrom::submit;
  Favor favor = Favor::large;
  double queue_factor = 0.5;
  double period_s = 60;  ///< at its boundaries a pass becomes due, where time alone can change the order

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// Throws Error{invalid} for the first thing that is wrong, `weights.qos: expected …`.
[[nodiscard]] Parameters read_parameters(const nlohmann::json& table);

/// Weights by name, over those given: for all factors or some. Throws Error{invalid}, also where their sum
/// is more than a priority can be.
[[nodiscard]] Factors read_weights(const JsonAt& at, Factors weights);

[[nodiscard]] std::string_view name_of(Scheme scheme);

}  // namespace fq::priority
