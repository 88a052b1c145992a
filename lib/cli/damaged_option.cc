#include "cli/damaged_option.h"

#include <fmt/format.h>

#include "cli/output.h"
#include "manager/damaged_store.h"

namespace fq::cli {

void add_damaged_option(OptionParser& parser, std::string_view command) {
  parser.flag(
      "--damaged",
      [command] {
        manager::accept_damage([command](const std::string& damage) {
          print_error(fmt::format("{}: {}; what is shown may be incomplete\n", command, damage));
        });
      },
      "of a damaged store, read what can be read");
  parser.rarely({"--damaged"});
}

}  // namespace fq::cli
