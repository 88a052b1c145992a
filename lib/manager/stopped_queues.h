// Why no job of a queue starts, whatever the scheduler has said of one before.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "records/queues.h"

namespace fq::manager {

class StoppedQueues {
 public:
  /// `queues` outlives this.
  explicit StoppedQueues(records::Queues& queues) : queues_(queues) {}

  /// One sentence for the queue and one for its parent, as far as they are stopped, or that the queue does
  /// not exist; none where its jobs may start. Valid while this is.
  [[nodiscard]] const std::vector<std::string>& reasons(const std::string& queue);

 private:
  void add(std::vector<std::string>& reasons, const std::string& queue);

  records::Queues& queues_;
  std::map<std::string, std::vector<std::string>> reasons_;
};

}  // namespace fq::manager
