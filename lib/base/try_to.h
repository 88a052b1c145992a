// For what can undo nothing when it fails, and is found undone, and done, by who comes next.

#pragma once

#include "base/error.h"

namespace fq {

/// Runs `act`; an Error that it throws is dropped.
template <typename Act>
void try_to(Act act) {
  try {
    act();
  } catch (const Error&) {
  }
}

}  // namespace fq
