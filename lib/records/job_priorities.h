// The priorities of a store's jobs at one moment: the evaluator with what it asks for.

#pragma once

#include "priority/evaluator.h"
#include "records/job_age.h"
#include "records/job_class.h"
#include "records/priority_facts.h"

namespace fq::records {

class JobPriorities {
 public:
  /// At `now`, seconds since the epoch. `reader` and `queues` outlive this; what is written meanwhile is not
  /// seen.
  JobPriorities(const store::Reader& reader, Queues& queues, double now);
  JobPriorities(const JobPriorities&) = delete;
  JobPriorities& operator=(const JobPriorities&) = delete;

  [[nodiscard]] std::uint32_t of(const job::Job& job) { return explain(job).priority; }
  [[nodiscard]] priority::Explanation explain(const job::Job& job);
  /// Of the member of a class whose wait counts from then, in microseconds: what orders it among those of
  /// other classes. Under the scheme fcfs that is the same for all, whose places follow from their times.
  [[nodiscard]] std::uint32_t of(const JobClass& c, std::uint64_t waits_since);
  [[nodiscard]] PriorityFacts& facts() { return facts_; }

 private:
  PriorityFacts facts_;
  JobAges ages_;
  priority::Evaluator evaluator_;
};

}  // namespace fq::records
