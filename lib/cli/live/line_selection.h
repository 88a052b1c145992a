// The job of a screen's listing that its user has chosen, with the arrows.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "notation/fluid.h"

namespace fq::cli {

class LineSelection {
 public:
  /// A line that can be chosen.
  struct Line {
    std::size_t number = 0;  ///< from 0, of the whole text
    notation::JobId job;
  };

  /// Chooses the next one down or up of `lines`, which ascend, that a screen of `rows` shows (LiveScreen);
  /// the first or the last where none is chosen. At the end nothing changes.
  void move(bool down, const std::vector<Line>& lines, std::size_t rows);
  /// The job that is chosen; nothing where it is not among `lines` any more.
  [[nodiscard]] std::optional<notation::JobId> chosen(const std::vector<Line>& lines) const;
  /// The text with the line of that job in reverse, without colours.
  [[nodiscard]] std::string mark(std::string text, const std::vector<Line>& lines);

 private:
  std::optional<notation::JobId> job_;
  std::size_t text_lines_ = 0;  ///< of the last text
};

}  // namespace fq::cli
