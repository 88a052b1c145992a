// A jobspec of which many jobs are made that differ in texts: those of a row for each job or, where a row has
// copies, these texts with the number of the copy in them.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fq::request {

/// A text in which the number of a copy may stand, anywhere and often: pieces[0] n pieces[1] n …
struct NumberedText {
  std::vector<std::string> pieces;

  [[nodiscard]] std::string with(std::uint32_t number) const;

  friend bool operator==(const NumberedText&, const NumberedText&) = default;
};

/// What a job has at the places of its template: for each the JSON text of one string or more, `"a","b"`.
using JobTexts = std::vector<NumberedText>;

/// A jobspec with places between its pieces; one piece where jobs do not differ.
struct JobspecTemplate {
  std::vector<std::string> pieces;

  /// A jobspec as it is.
  [[nodiscard]] static JobspecTemplate plain(std::string jobspec);
  /// With a text at each place. REQUIRES as many.
  [[nodiscard]] std::string text(const JobTexts& texts, std::uint32_t number) const;
};

}  // namespace fq::request
