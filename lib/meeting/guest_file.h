// A guest file of a running job as it grows.

#pragma once

#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace fq::meeting {

/// Once open it can be read to its end, wherever the job's end moves it.
class GuestFile {
 public:
  [[nodiscard]] bool is_open() const { return fd_.valid(); }
  /// Opens `path` unless a file is open; missing is fine.
  void try_open(const std::string& path);
  /// What has been written since the last call. Valid until the next. Throws Error.
  [[nodiscard]] std::string_view read_more();

 private:
  UniqueFd fd_;
  std::string path_;
  std::string buffer_;
};

}  // namespace fq::meeting
