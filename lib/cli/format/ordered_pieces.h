// Pieces of text passed on in the order of their keys, however many there are: what is beyond some memory
// waits, sorted, in a temporary file without a name, and is merged at the end.

#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/format/format.h"

namespace fq::cli {

class OrderedPieces {
 public:
  /// Bytes of pieces and keys that are held before they go to the file.
  static constexpr std::size_t kInMemory = 8U << 20U;

  /// `keys` say for each value of a piece whether it sorts downwards. At most `in_memory` bytes are held.
  explicit OrderedPieces(std::vector<SortKey> keys, std::size_t in_memory = kInMemory);
  ~OrderedPieces();
  OrderedPieces(const OrderedPieces&) = delete;
  OrderedPieces& operator=(const OrderedPieces&) = delete;

  /// `values` are one for each key. Throws Error{no_space}, {io}.
  void add(std::vector<SortValue> values, std::string_view text);
  /// Calls `take` with each piece; those whose values are equal come in the order of add. Once, after the
  /// last add. Throws Error{io}.
  void visit(const std::function<void(std::string_view)>& take);

 private:
  struct Piece {
    std::vector<SortValue> values;
    std::string text;
  };
  class Run;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[nodiscard]] bool is_before(const Piece& a, const Piece& b) const;
  void sort();
  void store();
  void merge(const std::function<void(std::string_view)>& take);

  std::vector<SortKey> keys_;
  std::size_t in_memory_;
  std::vector<Piece> pieces_;
  std::size_t bytes_ = 0;            ///< of pieces_
  std::vector<std::size_t> ends_{};  ///< of the runs in the file
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace fq::cli
