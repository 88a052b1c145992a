// Whose turn it is among queues that share nodes and order their jobs by schemes that cannot be compared: the
// stream of jobs that started one longest ago comes next, so that none starves. Stored where there is more
// than one such stream, and nowhere else.
//
//   turns     a line for each stream: NUMBER SP stream      the highest number started last

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "priority/parameters.h"
#include "store/transaction.h"

namespace fq::records {

/// What queues have in common whose priorities can be compared: scheme and weights.
[[nodiscard]] std::string stream_of(const priority::Parameters& parameters);

class Turns {
 public:
  /// What is stored.
  explicit Turns(const store::Reader& reader);

  /// The lower, the earlier the stream is served; 0: it never started a job.
  [[nodiscard]] std::uint64_t of(const std::string& stream) const;
  /// The stream has started a job: all others come before it.
  void take(const std::string& stream);
  void write(store::Transaction& transaction) const;

 private:
  std::map<std::string, std::uint64_t> numbers_;
  std::uint64_t last_ = 0;
};

}  // namespace fq::records
