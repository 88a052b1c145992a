#include "cli/frame/common_options.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/error.h"
#include "meeting/enclosure.h"
#include "notation/fsd.h"

namespace fq::cli {

void add_common_options(OptionParser& parser, CommonOptions& options, std::string_view color_names) {
  if (const char* store = std::getenv("FQ_STORE"); !options.store && store != nullptr && *store != '\0')
    options.store = store;
  if (const char* host = std::getenv("FQ_HOST"); !options.host && host != nullptr && *host != '\0')
    options.host = host;
  parser.group("Common options");
  parser.option("--store", "DIR", options.store, "the store to use (default: $FQ_STORE)");
  parser.option("--host", "HOST", options.host, "on that machine, by ssh (default: $FQ_HOST)");
  parser.flag(
      "--outer",
      [&options] {
        const char* outer = std::getenv(std::string{meeting::kParentName}.c_str());
        if (outer == nullptr || *outer == '\0')
          throw Error{Kind::usage, "--outer: this is not inside an instance that another one encloses"};
        options.store = outer;
      },
      "the store that encloses the instance of this job");
  parser.option(
      "--lock-timeout", "FSD",
      [&options](const std::string& value) {
        const double seconds = notation::parse_fsd(value);
        options.lock_timeout_s = std::isinf(seconds) ? std::optional<double>{} : seconds;
      },
      "give up if the store is locked that long");
  parser.option(
      color_names, "WHEN", [&options](const std::string& value) { options.color = parse_color_when(value); },
      "auto, always or never");
  parser.optional_value("--color", "always", {"auto", "always", "never"});
  parser.rarely({"--store", "--host", "--outer", "--lock-timeout", "--color", "--help"});
}

void add_listing_options(OptionParser& parser, ListingOptions& options, std::string_view listing) {
  for (const char* prefix : {"FLUX", "FQ"}) {
    if (listing.empty()) break;
    const char* format = std::getenv(fmt::format("{}_{}_FORMAT_DEFAULT", prefix, listing).c_str());
    if (format != nullptr && *format != '\0') options.format = format;
  }
  parser.group("Output");
  parser.flag("-n,--no-header", options.no_header, "leave out the line of headings");
  parser.option("-o,--format", "FORMAT", options.format, "a format or its name; `help` lists both");
  parser.option("--sort", "KEY,...", options.sort, "sort by these fields; -KEY downwards");
  parser.flag("--json", options.json, "print JSON");
}

}  // namespace fq::cli
