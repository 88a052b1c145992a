// A file that grows at its end and outlasts a full disk: what does not fit is kept and tried again.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace fq::meeting {

class AppendFile {
 public:
  AppendFile() = default;
  /// Opens, creating with `mode`; an existing file is emptied when `truncate`. Never blocks on a FIFO, never
  /// takes a controlling terminal. Throws Error.
  AppendFile(const std::string& path, bool truncate, mode_t mode = 0600);

  [[nodiscard]] bool valid() const { return fd_.valid(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes what is kept and then `bytes`. What the file does not take now (no space, full FIFO) is kept.
  /// Throws Error for other failures; what was kept is then dropped, and a line that was written in part is
  /// ended before the next bytes.
  void append(std::string_view bytes);
  /// Tries again what is kept. Returns true when nothing is left.
  bool flush() {
    append({});
    return kept_.empty();
  }
  /// Bytes that wait for room.
  [[nodiscard]] std::size_t kept() const { return kept_.size(); }
  /// Whether they wait for disk space.
  [[nodiscard]] bool out_of_space() const { return out_of_space_ && !kept_.empty(); }
  /// Gives up what is kept. A line that was written in part is ended.
  void drop_kept();
  /// Sets blocks aside, so that the next `bytes` fit even if the disk fills up. False when there is no room
  /// for them; true also where the file system cannot do it.
  bool reserve(std::uint64_t bytes);
  /// Makes what was written durable; the name is the directory's. Throws Error.
  void sync();

 private:
  std::string path_;
  UniqueFd fd_;
  std::string kept_;
  bool mid_line_ = false;  ///< the last byte written is not a newline
  bool torn_ = false;      ///< and its rest is lost
  bool out_of_space_ = false;
};

}  // namespace fq::meeting
