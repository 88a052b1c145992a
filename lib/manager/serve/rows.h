// Replies of many rows: they go to the asker one by one, so that no list of a million jobs is held.

#pragma once

#include <functional>

namespace fq::manager {

/// Where the rows of a reply go.
template <typename Row>
struct Rows {
  /// Comes before the first row; and again, before all of them, where the store changed so much while it was
  /// read that the reply had to be begun anew. What came before that is void.
  std::function<void()> begin;
  /// Returns false when no more is wanted.
  std::function<bool(Row&&)> row;
};

}  // namespace fq::manager
