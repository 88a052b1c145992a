// Replies put together.

#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

namespace fq::door {

/// Moves what is in `from` to the end of `to`.
template <typename Value>
void add_to(std::vector<Value>& to, std::vector<Value>&& from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

}  // namespace fq::door
