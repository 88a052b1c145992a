// The first and the last jobs of a listing, however long it is: what a screen can show of it.

#pragma once

#include <cstddef>
#include <vector>

#include "cli/format/format.h"
#include "request/find_job.h"

namespace fq::cli {

class JobWindow {
 public:
  /// Jobs kept of each end: more than a screen has lines.
  static constexpr std::size_t kEnd = 500;

  /// Jobs are sorted by `keys`, with `now` for those that depend on it; without keys they stay as they come.
  JobWindow(std::vector<SortKey> keys, double now, std::size_t end = kEnd);

  void add(request::ListedJob&& job);
  /// The jobs that are kept, in order. Once, after the last add.
  [[nodiscard]] std::vector<request::ListedJob> take();
  /// How many were left out, between the two ends.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }

 private:
  void prune();

  std::vector<SortKey> keys_;
  double now_;
  std::size_t end_;
  std::vector<request::ListedJob> jobs_;
  std::size_t left_out_ = 0;
};

}  // namespace fq::cli
