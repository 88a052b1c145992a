// Why no job of a queue starts, whatever the scheduler has said of one before: the inventory does not hold
// now, or the queue is stopped.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "records/queues.h"

namespace fq::manager {

class StoppedQueues {
 public:
  /// `reader` and `queues` outlive this.
  StoppedQueues(const store::Reader& reader, records::Queues& queues) : reader_(reader), queues_(queues) {}

  /// One sentence for the inventory, if it does not hold now, one for the queue and one for its parent, as
  /// far as they are stopped, or that the queue does not exist; none where its jobs may start. Valid while
  /// this is.
  [[nodiscard]] const std::vector<std::string>& reasons(const std::string& queue);

 private:
  void add(std::vector<std::string>& reasons, const std::string& queue);

  [[nodiscard]] std::string outside_validity() const;

  const store::Reader& reader_;
  records::Queues& queues_;
  std::map<std::string, std::vector<std::string>> reasons_;
};

}  // namespace fq::manager
