// Reading a store that is damaged, on request. Nothing else may be done with one before it is repaired.

#pragma once

#include <functional>
#include <string>

namespace fq::manager {

/// From here on the queries of this process, which works on one store, answer from what can be read of it
/// where it is damaged, and `notice` is told so once, in words. What the waker would do they leave undone.
void accept_damage(std::function<void(const std::string& damage)> notice);

/// Whether a query of this process has answered from a damaged store: nothing that is waited for will come.
[[nodiscard]] bool has_read_damaged();

}  // namespace fq::manager
