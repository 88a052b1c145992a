#include "cli/frame/bulk_output.h"

#include "cli/frame/locale_text.h"
#include "cli/frame/output.h"
#include "cli/frame/run_tool.h"
#include "request/refusal.h"

namespace fq::cli {

int print_refusals(std::string_view command, std::span<const request::Refusal> refusals) {
  for (const request::Refusal& refusal : refusals) {
    print_error(for_locale(error_line(command, refusal.why)));
  }
  return refusals.empty() ? 0 : 1;
}

}  // namespace fq::cli
