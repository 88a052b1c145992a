// What the HTML pages of fq share: one file that needs nothing else, no network and no script. Light and dark
// as the reader's system is; it fits narrow windows. Colours of series are var(--c0) to var(--c7).

#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace fq::cli {

/// The beginning of a page, up to its heading and what stands below that; both are text.
[[nodiscard]] std::string page_head(std::string_view title, std::string_view below);
inline constexpr std::string_view kPageEnd = "</html>\n";

/// Text for between tags and in attributes.
[[nodiscard]] std::string html(std::string_view text);
/// Three digits, or all before the point.
[[nodiscard]] std::string short_number(double value);
/// `12.3 %` for 0.123.
[[nodiscard]] std::string percent(double part);
/// One of the large figures in a `<div class="figures">`: `value` is HTML, `words` say of what.
[[nodiscard]] std::string figure(const std::string& value, std::string_view words);

/// Where a chart has its points, in the units of its view box.
struct ChartArea {
  double left, right, top, bottom;
  /// The height at which `value` stands where the top is `most`.
  [[nodiscard]] double y(double value, double most) const {
    return top + (bottom - top) * (1 - value / most);
  }
};
/// Lines at nothing, half and all of `most`, with what they stand for at the left.
[[nodiscard]] std::string value_axis(const ChartArea& area, double most,
                                     const std::function<std::string(double)>& text);

}  // namespace fq::cli
