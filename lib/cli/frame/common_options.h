// The options that all commands share, and those that all listings share.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/frame/option_parser.h"
#include "cli/frame/terminal.h"

namespace fq::cli {

struct CommonOptions {
  std::optional<std::string> store;  ///< --store or --outer, else $FQ_STORE where that is not empty
  std::optional<std::string> host;   ///< --host, else $FQ_HOST where that is not empty: the store is there
  std::optional<double> lock_timeout_s;  ///< none: wait for ever
  ColorWhen color = ColorWhen::automatic;
  bool damaged = false;  ///< --damaged, of commands that have it (cli/frame/damaged_option.h)
};

/// Adds --store, --host, --outer, --lock-timeout and --color; --help and --version are always there. Call it
/// last, so that they end the help page. A store that `options` names already goes before the one of the
/// environment.
void add_common_options(OptionParser& parser, CommonOptions& options,
                        std::string_view color_names = "--color");

struct ListingOptions {
  bool no_header = false;
  std::string format = "default";  ///< a named format, a format text or `help`
  std::string sort;                ///< comma-separated fields, `-` in front of one reverses; empty: as listed
  bool json = false;
};

/// Adds -n/--no-header, -o/--format, --sort and --json. The format starts from the environment's
/// FQ_LISTING_FORMAT_DEFAULT, else FLUX_LISTING_FORMAT_DEFAULT, where one is set; `listing` as RESOURCE_LIST,
/// empty: of neither.
void add_listing_options(OptionParser& parser, ListingOptions& options, std::string_view listing = {});

}  // namespace fq::cli
