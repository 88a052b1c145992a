// Scripts of any bytes: they are refused, or every directive has options and stands on a line of the script.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "document/jobspec/directives.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view script{reinterpret_cast<const char*>(data), size};
  const auto lines = static_cast<std::size_t>(std::count(script.begin(), script.end(), '\n')) + 1;
  try {
    std::size_t last = 0;
    for (const auto& directive : fq::document::parse_directives(script)) {
      if (directive.line <= last || directive.line > lines) std::abort();
      if (directive.arguments.empty() || !directive.arguments.front().starts_with('-')) std::abort();
      last = directive.line;
    }
  } catch (const fq::Error& error) {
    if (error.kind() != fq::Kind::invalid) std::abort();
  }
  return 0;
}
