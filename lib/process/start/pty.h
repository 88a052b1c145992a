// Pseudo-terminals: a task on the one side, who shows and feeds it on the other.

#pragma once

#include <cstdint>
#include <optional>

#include "base/unique_fd.h"

namespace fq::process {

struct WindowSize {
  std::uint16_t rows = 24, columns = 80;
  friend bool operator==(const WindowSize&, const WindowSize&) = default;
};

struct Pty {
  UniqueFd master;  ///< non-blocking; reads fail with EIO once nobody has the other side open
  UniqueFd slave;   ///< the terminal itself
};

/// Whether a terminal shows what is typed on it.
enum class Echo : bool { off, on };

/// What is typed for the end of input, where nothing stands on the line before it.
inline constexpr char kEndOfInput = '\4';

/// Makes one. Throws Error, also where the machine has no more of them.
[[nodiscard]] Pty make_pty(WindowSize size, Echo echo = Echo::on);

/// Gives the terminal another size; what runs in its foreground gets SIGWINCH if it is another.
void resize(const UniqueFd& pty, WindowSize size);

/// The size of a terminal's window; nothing for what is none, or has none.
[[nodiscard]] std::optional<WindowSize> window_size(int fd);

}  // namespace fq::process
