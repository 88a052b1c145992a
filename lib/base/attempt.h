// For what can undo nothing when it fails, and is found undone, and done, by who comes next.

#pragma once

#include "base/error.h"

namespace fq {

/// Runs `act` and drops its Error.
template <typename Act>
void attempt(Act act) {
  try {
    act();
  } catch (const Error&) {
  }
}

}  // namespace fq
