#include "cli/frame/locale_text.h"

#include "notation/fluid.h"

namespace fq::cli {

std::string for_locale(std::string_view text) {
  return for_locale(text, notation::prints_ascii());
}

std::string for_locale(std::string_view text, bool ascii) {
  std::string out{text};
  if (!ascii) return out;
  struct Replacement {
    std::string_view from, to;
  };
  for (const auto& [from, to] : {Replacement{"ƒ", "f"}, Replacement{"…", "..."}}) {
    for (std::size_t at = out.find(from); at != std::string::npos; at = out.find(from, at + to.size())) {
      out.replace(at, from.size(), to);
    }
  }
  return out;
}

}  // namespace fq::cli
