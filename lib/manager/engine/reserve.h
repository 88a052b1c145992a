// The file STORE/reserve: room that is given up when the disk is full, so that jobs can still be canceled,
// finished and purged. Not even an empty commit works on a disk without a free block.

#pragma once

#include <string>

#include "base/error.h"

namespace fq::manager {

/// Makes the file, its blocks really allocated. Throws Error{no_space}, {io}.
void make_reserve(const std::string& store);
/// Frees the blocks; false when there were none.
bool give_up_reserve(const std::string& store);
/// Makes it again where it is missing and the disk has room to spare. Cheap when it is there; never throws.
void restore_reserve(const std::string& store) noexcept;

/// What `act` returns; where it throws Error{no_space} it is called once more, with the reserve given up.
template <typename Act>
auto with_reserve(const std::string& store, Act act) {
  try {
    return act();
  } catch (const Error& failure) {
    if (failure.kind() != Kind::no_space || !give_up_reserve(store)) throw;
    return act();
  }
}

}  // namespace fq::manager
