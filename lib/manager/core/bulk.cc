#include "manager/core/bulk.h"

#include "base/error.h"

namespace fq::manager {

bool is_about_the_job(Kind kind) {
  switch (kind) {
    case Kind::usage:
    case Kind::combination:
    case Kind::invalid:
    case Kind::refused:
    case Kind::not_found:
    case Kind::permission:
      return true;
    case Kind::timeout:
    case Kind::unavailable:
    case Kind::no_space:
    case Kind::exhausted:
    case Kind::io:
    case Kind::unknown_outcome:
    case Kind::internal:
      return false;
  }
  return false;
}

void name_job(Refusal& refusal) {
  const std::string id = fmt::format("{}", refusal.id);
  if (std::string_view{refusal.why.what()}.find(id) == std::string_view::npos)
    refusal.why = refusal.why.within(id);
}

std::vector<Refusal> for_each_job(std::span<const JobId> ids, const std::function<void(JobId)>& act) {
  std::vector<Refusal> refusals;
  for (const JobId id : ids) {
    try {
      act(id);
    } catch (const Error& refusal) {
      if (!is_about_the_job(refusal.kind())) throw;
      refusals.push_back({id, refusal});
    }
  }
  return refusals;
}

}  // namespace fq::manager
