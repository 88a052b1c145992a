#include "manager/core/limits.h"

#include "base/error.h"
#include "base/text.h"
#include "manager/pass/schedule_pass.h"
#include "notation/fsd.h"

namespace fq::manager {

using document::SizeLimits;

namespace {

Error refusal(const document::QueueConfig& queue, const std::string& message) {
  if (queue.name.empty()) return Error{Kind::refused, message};
  return error(Kind::refused, "queue {}: {}", quote(queue.name), message);
}

void require_size(const document::QueueConfig& queue, std::uint64_t requested, std::int64_t most,
                  std::int64_t least, std::string_view thing) {
  const auto text = [&] { return counted(requested, thing) + " requested"; };
  if (most != SizeLimits::kNone && requested > static_cast<std::uint64_t>(most)) {
    throw refusal(queue, fmt::format("{}, at most {} allowed", text(), most));
  }
  if (least != SizeLimits::kNone && requested < static_cast<std::uint64_t>(least)) {
    throw refusal(queue, fmt::format("{}, at least {} needed", text(), least));
  }
}

}  // namespace

void require_within_duration_limit(const document::QueueConfig& queue, const document::QosConfig& qos,
                                   const job::Job& facts) {
  const double most = queue.policy.max_duration_s;
  if (qos.exempt_duration || most == 0 || (facts.duration > 0 && facts.duration <= most)) return;
  // With all digits: what is just beyond the limit must not look like it.
  const std::string requested =
      facts.duration == 0 ? "no time limit requested"
                          : fmt::format("duration {} requested", notation::format_fsd_digits(facts.duration));
  throw refusal(queue, fmt::format("{}, at most {} allowed", requested, notation::format_fsd_digits(most)));
}

void require_within_limits(const document::QueueConfig& queue, const document::QosConfig& qos,
                           const job::Job& facts, sched::Matcher& matcher) {
  require_within_duration_limit(queue, qos, facts);
  if (qos.exempt_size) return;
  const document::QueuePolicy& policy = queue.policy;
  const SizeLimits &max = policy.max, &min = policy.min;
  if (max.nnodes != SizeLimits::kNone || min.nnodes != SizeLimits::kNone) {
    const std::uint64_t nodes =
        facts.counts.nnodes > 0 ? facts.counts.nnodes : matcher.fewest_nodes(alloc_request(facts, 0));
    if (nodes > 0)
      require_size(queue, nodes, max.nnodes, min.nnodes, "node");  // else it can never run at all
  }
  const std::uint64_t slots = facts.counts.nslots;
  require_size(queue, slots * facts.counts.cores_per_slot, max.ncores, min.ncores, "core");
  require_size(queue, slots * facts.counts.gpus_per_slot, max.ngpus, min.ngpus, "GPU");
}

}  // namespace fq::manager
