#include "sim/generate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include <fmt/core.h>

#include "base/error.h"

namespace fq::sim {
namespace {

// The model's parameters, for all jobs of a day.
constexpr double kSerial = 0.244, kPowerOfTwo = 0.576;
// Of the logarithm to base 2 of a parallel job's size: two uniform stages, from kLow over `most` - kStage to
// `most`, the first with probability kFirstStage.
constexpr double kLow = 0.8, kStage = 2.5, kFirstStage = 0.86;
// Of the natural logarithm of a run time: two gamma distributions, the short one with a probability that
// falls as jobs grow.
struct Gamma {
  double shape, scale;
};
constexpr Gamma kShortRun{4.2, 0.94}, kLongRun{312, 0.03};
constexpr double kShortPerNode = -0.0054, kShortOfOne = 0.78;
// Of the logarithm to base 2 of the time between two arrivals in busy hours.
constexpr Gamma kGap{10.2303, 0.4871};
// Of arrivals over the day, in half hours since the quietest one.
constexpr Gamma kDay{8.1737, 3.9631};
constexpr std::size_t kHalfHours = 48, kQuietest = 11;
constexpr double kHalfHour = 1800;
constexpr double kLongestRun = 5 * 86400;

// The standard library's distributions may differ from one to another; these do not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // In [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  // Marsaglia and Tsang's method; REQUIRES a shape of at least 1.
  double gamma(const Gamma& of) {
    const double d = of.shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
      const double x = normal(), root = 1 + c * x;
      if (root <= 0) continue;
      const double v = root * root * root;
      if (std::log(1 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v * of.scale;
    }
  }

 private:
  std::mt19937_64 engine_;
};

std::uint32_t size_of(Random& random, std::uint64_t processors) {
  if (processors == 1 || random.uniform() < kSerial) return 1;
  const double most = std::log2(static_cast<double>(processors));
  const double low = std::min(kLow, most), middle = std::max(low, most - kStage);
  const double exponent =
      random.uniform() < kFirstStage ? random.uniform(low, middle) : random.uniform(middle, most);
  const bool power = random.uniform() < kPowerOfTwo;
  const double size = std::round(std::exp2(power ? std::floor(exponent + 0.5) : exponent));
  return static_cast<std::uint32_t>(std::clamp(size, 1.0, static_cast<double>(processors)));
}

double runtime_of(Random& random, std::uint32_t size) {
  const double is_short = std::clamp(kShortPerNode * size + kShortOfOne, 0.0, 1.0);
  for (;;) {
    const double seconds = std::exp(random.gamma(random.uniform() < is_short ? kShortRun : kLongRun));
    if (seconds <= kLongestRun) return std::max(1.0, std::round(seconds));
  }
}

// What a user writes who knows about how long it takes: rarely much less than twice as long.
double limit_of(Random& random, double runtime) {
  constexpr std::array<double, 16> kLimits{300,   600,   900,   1800,  3600,  7200,   10800,  14400,
                                           21600, 28800, 43200, 64800, 86400, 129600, 172800, 259200};
  const double wanted = runtime * random.uniform(1, 4);
  const auto at = std::lower_bound(kLimits.begin(), kLimits.end(), wanted);
  return at == kLimits.end() ? std::ceil(wanted / 86400) * 86400 : *at;
}

// A few users submit most: the nth as often as 1 in n.
std::int64_t user_of(Random& random, std::uint32_t users) {
  double sum = 0;
  for (std::uint32_t i = 1; i <= users; ++i) sum += 1.0 / i;
  double left = random.uniform() * sum;
  for (std::uint32_t i = 1; i < users; ++i) {
    left -= 1.0 / i;
    if (left < 0) return i;
  }
  return users;
}

// How much of its mean the rate of arrivals is, half hour by half hour of a day.
std::array<double, kHalfHours> rates_of_day() {
  std::array<double, kHalfHours> rates{};
  double sum = 0;
  for (std::size_t i = 0; i < kHalfHours; ++i) {
    const double x = static_cast<double>(i) + 0.5;
    const double density = std::exp((kDay.shape - 1) * std::log(x) - x / kDay.scale);
    rates[(i + kQuietest) % kHalfHours] = density;
    sum += density;
  }
  // The gamma distribution goes to nothing, no machine's night does.
  for (double& rate : rates) rate = 0.05 + 0.95 * rate * kHalfHours / sum;
  return rates;
}

// The time at which `busy` seconds of mean rate have gone by.
class Days {
 public:
  double advance(double busy) {
    for (;;) {
      const double rate = rates_[static_cast<std::size_t>(std::fmod(time_ / kHalfHour, kHalfHours))];
      const double end = (std::floor(time_ / kHalfHour) + 1) * kHalfHour;
      if (busy <= (end - time_) * rate) return time_ += busy / rate;
      busy -= (end - time_) * rate;
      time_ = end;
    }
  }

 private:
  std::array<double, kHalfHours> rates_ = rates_of_day();
  double time_ = 9 * 3600;  // somebody came to work
};

}  // namespace

Trace generate(const Generation& wanted) {
  if (wanted.processors == 0 || wanted.nodes == 0)
    throw Error{Kind::invalid, "a workload needs a machine with processors"};
  if (wanted.users == 0) throw Error{Kind::invalid, "a workload needs at least one user"};
  if (!(wanted.load > 0) || !std::isfinite(wanted.load))
    throw Error{Kind::invalid, fmt::format("load {:g}: expected a number greater than 0", wanted.load)};
  Random random(wanted.seed);
  Trace trace;
  trace.max_nodes = wanted.nodes;
  trace.max_processors = wanted.processors;
  std::vector<double> gaps;
  double work = 0, span = 0;
  for (std::size_t i = 0; i < wanted.jobs; ++i) {
    TraceJob job;
    job.id = i + 1;
    job.processors = size_of(random, wanted.processors);
    job.runtime = runtime_of(random, job.processors);
    job.limit = std::max(limit_of(random, job.runtime), job.runtime);
    job.user = user_of(random, wanted.users);
    gaps.push_back(std::exp2(random.gamma(kGap)));
    work += job.runtime * job.processors;
    span += gaps.back();
    trace.jobs.push_back(std::move(job));
  }
  // Arrivals keep their pattern, and are as far apart as the load asks for.
  const double stretch = span > 0 ? work / (wanted.load * static_cast<double>(wanted.processors)) / span : 1;
  Days days;
  double first = 0;
  for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
    const double time = days.advance(i == 0 ? 0 : gaps[i] * stretch);
    if (i == 0) first = time;
    trace.jobs[i].submit = std::round(time - first);
  }
  return trace;
}

std::string write_trace(const Trace& trace, const std::string& remark) {
  std::string text = fmt::format("; {}\n; MaxJobs: {}\n; MaxNodes: {}\n; MaxProcs: {}\n", remark,
                                 trace.jobs.size(), trace.max_nodes, trace.max_processors);
  for (const TraceJob& job : trace.jobs) {
    text += fmt::format("{} {:.0f} -1 {:.0f} {} -1 -1 {} {:.0f} -1 1 {} -1 -1 {} -1 -1 -1\n", job.id,
                        job.submit, job.runtime, job.processors, job.processors,
                        job.limit > 0 ? job.limit : -1, job.user, job.queue);
  }
  return text;
}

}  // namespace fq::sim
