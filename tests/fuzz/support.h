// What every fuzz target does: it reads its input, which may be refused, and then checks what was read. Only
// the reading may refuse: an Error from a check is a finding, so checks stand outside of `read_or_refuse`.

#pragma once

#include <cstdlib>
#include <optional>
#include <type_traits>

#include "base/error.h"

namespace fq::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// What `read` returns, or nothing where it refuses: Error of kind invalid, or of kind refused where the
/// input asks for too much.
template <class Read>
auto read_or_refuse(Read read) -> std::optional<std::invoke_result_t<Read>> {
  try {
    return read();
  } catch (const Error& error) {
    require(error.kind() == Kind::invalid || error.kind() == Kind::refused);
    return std::nullopt;
  }
}

}  // namespace fq::fuzz
