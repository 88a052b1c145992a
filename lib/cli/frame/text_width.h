// Text as a terminal shows it: how many columns it takes, where to cut it. A code point takes one column, an
// East Asian wide one or an emoji two, a combining mark none. What is harmful (base/utf8.h) is shown as
// one `?`.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fq::cli {

/// `text` fit for one line of a terminal. Most text is so already: then the result is `text` itself,
/// else it is built in `scratch` and valid as long as that.
[[nodiscard]] std::string_view masked(std::string_view text, std::string& scratch);

/// Columns that `text` takes. REQUIRES printable text.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The longest start of `text` that takes at most `columns`; never splits a code point. REQUIRES printable
/// text.
[[nodiscard]] std::string_view cut_to_width(std::string_view text, std::size_t columns);

}  // namespace fq::cli
