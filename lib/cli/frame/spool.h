// Text that is passed on when it is complete, however long it becomes: what is beyond some memory waits in a
// temporary file without a name.

#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fq::cli {

class Spool {
 public:
  /// Where to append. Call `relieve` now and then.
  [[nodiscard]] std::string& text() { return text_; }
  /// Moves the text into the file when it has become long. Throws Error{no_space}, {io}.
  void relieve();
  /// Forgets all.
  void clear();
  /// Calls `take` with all of it, piece by piece. Throws Error{io}.
  void visit(const std::function<void(std::string_view)>& take) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string text_;  ///< what comes behind the file's
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace fq::cli
