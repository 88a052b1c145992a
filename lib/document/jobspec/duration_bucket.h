// Durations that are nearly equal share a bucket: eighths of an octave, from one second up. Requests that
// differ in their duration within one only can be looked at together.

#pragma once

#include <cstdint>

namespace fq::document {

/// The bucket of a duration in seconds; 0 for none.
[[nodiscard]] std::uint16_t duration_bucket(double duration_s);
/// The shortest duration of a bucket in seconds; 0 for that of jobs without one.
[[nodiscard]] double least_duration(std::uint16_t bucket);

}  // namespace fq::document
