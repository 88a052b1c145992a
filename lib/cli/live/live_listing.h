// A listing that stays on the terminal and is drawn anew when a job has changed.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "cli/live/live_screen.h"
#include "door/door.h"
#include "notation/fluid.h"

namespace fq::cli {

/// What is to be shown.
struct LiveListing {
  std::function<void()> read;             ///< looks at the store
  std::function<std::string()> render;    ///< the lines, from what was read and the time now
  std::function<std::size_t()> left_out;  ///< lines that are missing in the middle of those
  std::function<bool()> ticks;            ///< whether the lines change with time alone
  /// What a key does beside `q`'s end; see LiveScreen::take_input.
  std::function<bool(Key)> pressed = {};
  /// Whether something else is to be shown; asked before each drawing.
  std::function<bool()> is_left = {};
};

/// Shows `listing` until the user ends it, and returns the exit code (LiveScreen::take_input). The store is
/// read when one of the jobs `ids` (none: any job) has changed, not more often than leaves it nine tenths of
/// the time; the lines are drawn each second while they tick. Throws Error{refused} where stdout cannot be
/// drawn on.
[[nodiscard]] int show_live(const door::Door& door, std::span<const notation::JobId> ids,
                            const LiveListing& listing);

/// The same on a screen that others have, too; nothing where the listing was left.
[[nodiscard]] std::optional<int> show_live(LiveScreen& screen, const door::Door& door,
                                           std::span<const notation::JobId> ids, const LiveListing& listing);

}  // namespace fq::cli
