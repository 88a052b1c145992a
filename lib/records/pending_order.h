// Pending jobs in the one order in which they are served, listed and counted: by the tier of their queue,
// then priority, the time from which their wait counts, and id; held ones come last. Where the priorities of
// queues cannot be compared, for their schemes or weights differ, these take turns within their tier; jobs
// that are expedited come before. Queues that share no nodes are served each by itself: of their jobs the
// order says nothing but where they are listed. Each class is in order already, so the whole is a merge of
// the classes by their first members; it costs O(classes) and then O(log classes) a job, whatever is pending.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/job_class.h"
#include "records/job_priorities.h"
#include "records/queues.h"
#include "records/turns.h"
#include "store/reader.h"

namespace fq::records {

/// They stay where they are read: there may be many.
using JobClasses = std::deque<JobClass>;

/// Shows each class of pending jobs to `visit`, which may keep it. Costs what there are of classes.
void visit_classes(const store::Reader& reader, const std::function<void(JobClass&&)>& visit);

/// The classes of pending jobs that `admit` accepts.
[[nodiscard]] JobClasses read_classes(const store::Reader& reader,
                                      const std::function<bool(const JobClass&)>& admit);

/// Whether the scheduling pass may start its jobs: they are not held, and their queue may start jobs.
[[nodiscard]] bool is_eligible(Queues& queues, const JobClass& c);

/// When a stream of jobs that cannot be compared with others has had its turn.
enum class TurnAfter : std::uint8_t {
  each_job,  ///< as if each job started that is returned: for who looks at the order
  started,   ///< when `started` says so: for the pass
};

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
  PendingOrder(const store::Reader& reader, Queues& queues, JobClasses classes, double now,
               TurnAfter turn = TurnAfter::each_job);

  /// The next job, or nothing at the end.
  [[nodiscard]] std::optional<Entry> next();
  /// Leaves out what remains of the class that the last entry came from.
  void skip_class();
  /// A job of the queue has started.
  void started(std::string_view queue);
  /// Stores whose turn it is, where there is more than one to have it and jobs have started.
  void write_turns(store::Transaction& transaction) const;
  [[nodiscard]] JobPriorities& priorities() { return priorities_; }

 private:
  // The next job of a class: what orders it, side by side for all classes.
  struct Next {
    std::uint32_t priority = 0;
    std::uint32_t of = 0;  ///< an index of classes_
    std::uint64_t time = 0;
    JobId id;
  };
  // Classes whose jobs can be compared: of one tier and one stream. Those that are expedited come before, and
  // those that are held behind all streams, whatever theirs is.
  struct Lane {
    enum class Kind : std::uint8_t { expedited, by_turn, held };
    Kind kind = Kind::by_turn;
    std::uint16_t tier = 0;
    std::string stream;
    std::vector<Next> heap;  ///< the first to serve on top
  };
  [[nodiscard]] static bool after(const Next& a, const Next& b);
  Lane& lane_of(const JobClass& c);
  /// That of its queue's parameters: made once for each queue, for classes are many.
  [[nodiscard]] const std::string& stream(const std::string& queue);
  /// The one to serve next, or null.
  [[nodiscard]] Lane* first_lane();
  void set_priority(Next& next);
  /// Moves to the next job of the class; false at its end.
  bool advance(Next& next);
  void leave_last();

  const store::Reader* reader_;
  Queues* queues_;
  JobPriorities priorities_;
  TurnAfter turn_;
  JobClasses classes_;
  std::vector<std::unique_ptr<store::Cursor>>
      cursors_;  ///< by class, at the job after its next; opened when first needed
  std::vector<Lane> lanes_;
  std::map<std::string, std::string, std::less<>> streams_;  ///< by queue
  std::optional<Turns> turns_;                               ///< where there are several streams
  bool turn_taken_ = false;
  std::optional<std::size_t> last_;  ///< the lane whose top was returned last, and is still there
};

}  // namespace fq::records
