#include "priority/evaluator.h"

namespace fq::priority {

Explanation Evaluator::explain(const Subject& subject) {
  const Parameters& parameters = facts_->parameters(subject.queue);
  Explanation explained;
  explained.scheme = parameters.scheme;
  switch (parameters.scheme) {
    case Scheme::none:
      explained.priority = urgency_priority(subject.urgency, subject.qos);
      break;
    case Scheme::fcfs:
      explained.priority = fcfs_priority(subject.number);
      break;
    case Scheme::multifactor: {
      // What weighs nothing is not looked up.
      const Factors& weights = explained.weights = parameters.weights;
      Factors& factors = explained.factors;
      factors.wait_time = wait_factor(now_ - subject.waits_since, parameters.max_wait_s);
      if (weights.fair_share > 0) factors.fair_share = facts_->fair_share(subject.userid, subject.bank);
      if (weights.qos > 0) factors.qos = facts_->qos_factor(subject.qos);
      factors.queue = parameters.queue_factor;
      if (weights.job_size > 0 && subject.counts != nullptr)
        factors.job_size = size_factor(*subject.counts, facts_->machine(), parameters.favor);
      factors.user = user_factor(subject.urgency);
      explained.points = points_of(weights, factors);
      explained.priority = multifactor_priority(explained.points);
      break;
    }
  }
  if (is_held(subject.urgency)) explained.priority = kHeld;
  if (is_expedited(subject.urgency)) explained.priority = kExpedited;
  return explained;
}

}  // namespace fq::priority
