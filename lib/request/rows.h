// A reply of many rows, which come one by one so that memory does not grow with them.

#pragma once

#include <functional>

namespace fq::request {

/// Where they go.
template <typename HeadType, typename RowType>
struct Rows {
  using Head = HeadType;
  using Row = RowType;
  /// Comes first; and again, when all is begun anew because the store changed much while it was read.
  std::function<void(Head&&)> begin;
  /// Returns false when no more is wanted. Missing: no rows are wanted.
  std::function<bool(Row&&)> row;
  /// Comes after the last row: whether all of them are wanted once more, of the same state. Missing: no.
  std::function<bool()> again;
};

}  // namespace fq::request
