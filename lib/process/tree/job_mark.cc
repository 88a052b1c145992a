#include "process/tree/job_mark.h"

#include <fmt/core.h>

#include "base/error.h"

namespace fq::process {

std::string job_mark(std::string_view store_identity, notation::JobId id) {
  return fmt::format("{}.{}.", store_identity, notation::to_dothex(id));
}

std::optional<notation::JobId> marked_job(std::string_view mark, std::string_view store_identity) {
  const std::string prefix = fmt::format("{}.", store_identity);
  if (!mark.starts_with(prefix)) return std::nullopt;
  mark.remove_prefix(prefix.size());
  mark = mark.substr(0, mark.rfind('.'));  // the attempt
  try {
    return notation::parse_job_id(mark);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace fq::process
