// Regular expressions that users give. Matching takes time in proportion to the text, whatever the
// expression; one that would take too much memory is refused. The syntax is RE2's: as in Perl and Python,
// without what needs a search with returns (back references, look-around).

#pragma once

#include <memory>
#include <string_view>

namespace fq {

class Regex {
 public:
  /// Throws Error{usage} `'PATTERN' is not a regular expression: …`.
  explicit Regex(std::string_view pattern);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  /// Whether any part of `text` fits.
  [[nodiscard]] bool found_in(std::string_view text) const;
  /// Whether `text` begins with what fits.
  [[nodiscard]] bool fits_start_of(std::string_view text) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace fq
