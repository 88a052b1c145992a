#include "records/job_priorities.h"

namespace fq::records {

JobPriorities::JobPriorities(const store::Reader& reader, Queues& queues, double now)
    : facts_(reader, queues, now), ages_(reader), evaluator_(facts_, now) {}

priority::Explanation JobPriorities::explain(const job::Job& job) {
  return evaluator_.explain({job.queue, job.bank, job.qos, job.userid, job.urgency, &job.counts,
                             ages_.waits_since(job), job.number});
}

std::uint32_t JobPriorities::of(const JobClass& c, std::uint64_t waits_since) {
  return evaluator_.priority({c.queue, c.bank, c.qos, c.userid, c.urgency, &c.counts,
                              static_cast<double>(waits_since) * 1e-6, std::uint64_t{0}});
}

}  // namespace fq::records
