// Pending jobs in the one order in which they are served, listed and counted: by the tier of their queue,
// then priority, the time from which their wait counts, and id; held ones come last. Queues that share no
// nodes are served each by itself: of their jobs the order says nothing but where they are listed. Each class
// is in order already, so the whole is a merge of the classes by their first members; it costs O(classes) and
// then O(log classes) a job, whatever is pending.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "records/job_class.h"
#include "records/job_priorities.h"
#include "records/queues.h"
#include "store/reader.h"

namespace fq::records {

/// The classes of pending jobs that `admit` accepts. Costs what there are of classes.
[[nodiscard]] std::vector<JobClass> read_classes(const store::Reader& reader,
                                                 const std::function<bool(const JobClass&)>& admit);

/// Whether the scheduling pass may start its jobs: they are not held, and their queue may start jobs.
[[nodiscard]] bool is_eligible(Queues& queues, const JobClass& c);

class PendingOrder {
 public:
  struct Entry {
    JobId id;
    std::uint32_t priority = 0;           ///< of a class in a queue of the scheme fcfs: the same for all
    std::uint64_t time = 0;               ///< from which its wait counts, microseconds
    const JobClass* job_class = nullptr;  ///< valid while the order is
  };

  /// Of these classes, with their priorities at `now`. `reader` and `queues` must outlive the order. Jobs
  /// that leave a class after they were returned do not disturb it.
  PendingOrder(const store::Reader& reader, Queues& queues, std::vector<JobClass> classes, double now);

  /// The next job, or nothing at the end.
  [[nodiscard]] std::optional<Entry> next();
  /// Leaves out what remains of the class that the last entry came from.
  void skip_class();
  [[nodiscard]] JobPriorities& priorities() { return priorities_; }

 private:
  struct Stream {
    JobClass job_class;
    std::uint16_t tier;
    std::uint32_t priority;
    std::uint64_t time;
    JobId id;
    std::unique_ptr<store::Cursor> cursor;  ///< at the job after `id`; opened when first needed
  };
  [[nodiscard]] bool after(std::size_t a, std::size_t b) const;
  void set_priority(Stream& stream);
  /// Moves the stream to its next job; false at its end.
  bool advance(Stream& stream);

  const store::Reader* reader_;
  JobPriorities priorities_;
  std::vector<Stream> streams_;
  std::vector<std::size_t> heap_;  ///< of streams_, the first to serve on top
  bool last_in_heap_ = false;
};

}  // namespace fq::records
