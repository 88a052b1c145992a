// What the user is told while a door keeps a command waiting, as text for the other end.

#pragma once

#include <string>
#include <string_view>

#include "manager/engine/damaged_store.h"
#include "manager/engine/session.h"

namespace fq::door {

/// What a command does with each.
struct Told {
  manager::Notices notices;
  manager::DamagedStore::Notice damaged;  ///< nothing: a damaged store is refused
};

/// A Told that gives texts to `send`.
[[nodiscard]] Told tell_by_text(const std::function<void(std::string_view)>& send);
/// Does with `told` what such a text says. Returns whether it was that the store is damaged. Throws
/// Error{invalid}.
bool pass_on(std::string_view text, const Told& told);

}  // namespace fq::door
