#include "manager/core/bulk.h"

#include "base/error.h"

namespace fq::manager {

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
