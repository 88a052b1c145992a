#include "document/jobspec/requeue.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace fq::document {

std::optional<std::uint32_t> allowed_requeues(const Jobspec& jobspec) {
  constexpr int kMost = 1000;
  const nlohmann::json& document = jobspec.json();
  const auto attributes = document.find("attributes");
  if (attributes == document.end() || !attributes->is_object()) return std::nullopt;
  const auto system = attributes->find("system");
  if (system == attributes->end() || !system->is_object()) return std::nullopt;
  const JsonAt at{*system, "jobspec: attributes.system"};
  const auto requeue = at.find("requeue");
  if (!requeue) return std::nullopt;
  return static_cast<std::uint32_t>(requeue->as_integer(0, kMost));
}

}  // namespace fq::document
