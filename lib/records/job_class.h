// Classes of pending jobs. Jobs that differ only in submit time, duration within a bucket, name and command
// form one class: every factor of priority and every limit is equal for them but the wait, and that is
// monotone. So within a class the order is submit order, always, and the pass looks at classes only.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "job/job.h"
#include "records/keys.h"

namespace fq::records {

struct JobClass {
  ClassId id{};

  // What the members have in common.
  std::string queue, bank, project, qos, constraint;
  std::uint32_t userid = 0;
  std::uint8_t urgency = 0;
  document::ResourceCounts counts;
  std::uint16_t duration_bucket = 0;

  // The members.
  std::uint64_t count = 0;
  std::uint64_t head_time = 0;  ///< submit time of the first, microseconds
  JobId head;

  friend bool operator==(const JobClass&, const JobClass&) = default;
};

/// The class of a job, without members.
[[nodiscard]] JobClass class_of(const job::Job& job);
[[nodiscard]] std::string encode(const JobClass& c);
/// `key` is the class's key in the instance family. Throws Error{unavailable} for damaged bytes.
[[nodiscard]] JobClass decode_class(std::string_view key, std::string_view bytes);

}  // namespace fq::records
