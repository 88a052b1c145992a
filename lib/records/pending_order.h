// Pending jobs in the order in which they are served: by priority, then submit time, then id. Each class is
// in order already, so the whole is a merge of the classes by their first members; it costs O(classes) and
// then O(log classes) a job, whatever is pending.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "records/job_class.h"
#include "store/reader.h"

namespace fq::records {

/// The classes of pending jobs that `admit` accepts. Costs what there are of classes.
[[nodiscard]] std::vector<JobClass> read_classes(const store::Reader& reader,
                                                 const std::function<bool(const JobClass&)>& admit);

class PendingOrder {
 public:
  struct Entry {
    JobId id;
    std::uint32_t priority = 0;
    std::uint64_t time = 0;               ///< submit time, microseconds
    const JobClass* job_class = nullptr;  ///< valid while the order is
  };

  /// Of queues that are served together, those of the highest tier come first.
  using Tier = std::function<std::uint16_t(const JobClass&)>;

  /// Of these classes. `reader` must outlive the order. Jobs that leave a class after they were returned do
  /// not disturb it.
  PendingOrder(const store::Reader& reader, std::vector<JobClass> classes, const Tier& tier = {});

  /// The next job, or nothing at the end.
  [[nodiscard]] std::optional<Entry> next();
  /// Leaves out what remains of the class that the last entry came from.
  void skip_class();

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
  /// Moves the stream to its next job; false at its end.
  bool advance(Stream& stream);

  const store::Reader* reader_;
  std::vector<Stream> streams_;
  std::vector<std::size_t> heap_;  ///< of streams_, the first to serve on top
  bool last_in_heap_ = false;
};

}  // namespace fq::records
