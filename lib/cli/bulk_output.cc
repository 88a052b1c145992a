#include "cli/bulk_output.h"

#include "cli/output.h"

namespace fq::cli {

int print_refusals(std::string_view command, std::span<const manager::Refusal> refusals) {
  for (const manager::Refusal& refusal : refusals) {
    print_error(fmt::format("{}: {}\n", command, refusal.message));
  }
  return refusals.empty() ? 0 : 1;
}

std::string count_jobs(std::size_t n) {
  return fmt::format("{} job{}", n, n == 1 ? "" : "s");
}

}  // namespace fq::cli
