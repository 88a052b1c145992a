// The stored form of a job: schema/records.fbs, table JobRecord.

#pragma once

#include <string>
#include <string_view>

#include "job/job.h"

namespace fq::records {

[[nodiscard]] std::string encode(const job::Job& job);
/// Throws Error{unavailable} for bytes that are not a job record.
[[nodiscard]] job::Job decode_job(std::string_view bytes);

}  // namespace fq::records
