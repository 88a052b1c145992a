#include "cli/frame/damaged_option.h"

namespace fq::cli {

void add_damaged_option(OptionParser& parser, CommonOptions& options) {
  parser.flag("--damaged", options.damaged, "of a damaged store, read what can be read");
  parser.rarely({"--damaged"});
}

}  // namespace fq::cli
