#include "document/jobspec/duration_bucket.h"

#include <algorithm>
#include <cmath>

namespace fq::document {

namespace {

constexpr double kBucketsPerOctave = 8;

}  // namespace

std::uint16_t duration_bucket(double duration_s) {
  if (!(duration_s > 0) || !std::isfinite(duration_s)) return 0;
  const double bucket = 1 + kBucketsPerOctave * std::log2(std::max(1.0, duration_s));
  return static_cast<std::uint16_t>(std::min(bucket, 65535.0));
}

double least_duration(std::uint16_t bucket) {
  constexpr double kShortest = 1e-6;  // of those under a second, which share the first bucket
  constexpr double kRounding = 1 - 1e-12;
  if (bucket == 0) return 0;
  return bucket == 1 ? kShortest : std::exp2((bucket - 1) / kBucketsPerOctave) * kRounding;
}

}  // namespace fq::document
