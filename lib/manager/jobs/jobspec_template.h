// A jobspec of which many jobs are made that differ in a number or in some texts.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fq::manager {

/// A jobspec with places: copy n has its number at each of them, pieces[0] n pieces[1] n …, or a text of its
/// own. One piece where there are no copies.
struct JobspecTemplate {
  std::vector<std::string> pieces;

  /// A jobspec as it is.
  [[nodiscard]] static JobspecTemplate plain(std::string jobspec);
  /// From the jobspecs of two copies: the places where one has `first_number` and the other `second_number`.
  /// Empty pieces when the two differ otherwise, so that copies must be made one by one.
  [[nodiscard]] static JobspecTemplate between(std::string_view first, std::string_view first_number,
                                               std::string_view second, std::string_view second_number);
  [[nodiscard]] std::string text(std::uint32_t number) const;
  /// With a text for each place. REQUIRES as many.
  [[nodiscard]] std::string text(std::span<const std::string> texts) const;
};

}  // namespace fq::manager
