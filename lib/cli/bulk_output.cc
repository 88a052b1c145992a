#include "cli/bulk_output.h"

#include "cli/locale_text.h"
#include "cli/output.h"
#include "cli/run_tool.h"

namespace fq::cli {

int print_refusals(std::string_view command, std::span<const manager::Refusal> refusals) {
  for (const manager::Refusal& refusal : refusals) {
    print_error(for_locale(error_line(command, refusal.why)));
  }
  return refusals.empty() ? 0 : 1;
}

}  // namespace fq::cli
