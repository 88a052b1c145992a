// Text of fq's own as the locale of this process can show it.

#pragma once

#include <string>
#include <string_view>

namespace fq::cli {

/// `text` itself where the locale's encoding is UTF-8; elsewhere with `f` for the `ƒ` of job ids, and `...`
/// for `…`.
[[nodiscard]] std::string for_locale(std::string_view text);
/// The same, for a locale that has only ASCII or has UTF-8.
[[nodiscard]] std::string for_locale(std::string_view text, bool ascii);

}  // namespace fq::cli
