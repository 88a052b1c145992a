// Slices of a list, as Python and Flux write them: `[START:STOP:STEP]`, each part optional, negative ones
// counted from the end.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace fq::cli {

struct Slice {
  std::optional<std::int64_t> start, stop;
  std::int64_t step = 1;  ///< not 0

  /// Throws Error{invalid}.
  [[nodiscard]] static Slice parse(std::string_view text);

  /// The indexes that the slice selects of a list of `size`, in its order.
  [[nodiscard]] std::vector<std::size_t> indexes(std::size_t size) const;
  /// How long a part of the list, from its beginning, decides the slice; nothing when all of it does.
  [[nodiscard]] std::optional<std::size_t> needs() const;
};

}  // namespace fq::cli
