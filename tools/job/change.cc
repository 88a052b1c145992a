// fq-job urgency: what may still be changed about a job.

#include "base/error.h"
#include "cli/bulk_output.h"
#include "cli/common_options.h"
#include "cli/job_values.h"
#include "cli/option_parser.h"
#include "cli/output.h"
#include "cli/store_session.h"
#include "job/commands.h"
#include "manager/urgency.h"

namespace fq::tools::job {
namespace {

std::string urgency_text(std::uint8_t urgency) {
  if (urgency == fq::job::kUrgencyHold) return "job held";
  if (urgency == fq::job::kUrgencyExpedite) return "job expedited";
  return fmt::format("{}", urgency);
}

}  // namespace

int urgency(int argc, char** argv) {
  cli::CommonOptions common;
  bool verbose = false;
  cli::OptionParser parser("fq-job urgency", "hold, release or reorder jobs that wait",
                           {"ID... URGENCY", 2, cli::Operands::kUnlimited});
  parser.example("fq job urgency ƒ2GMuTnf hold");
  parser.example("fq job urgency ƒ2GMuTnf ƒ2NoWLoZ 10");
  parser.group("Options");
  parser.flag("-v,--verbose", verbose, "say what the urgency was");
  cli::add_common_options(parser, common);
  std::vector<std::string> operands = parser.parse(argc, argv);
  manager::UrgencyRequest request;
  try {
    request.urgency = cli::parse_urgency(operands.back());
  } catch (const Error& failure) {
    throw error(Kind::usage, "urgency: {}", failure.what());
  }
  operands.pop_back();
  request.ids = cli::parse_job_ids(operands);
  const cli::StoreSession store("fq-job", common);
  const manager::UrgencyReply reply = manager::set_urgency(store.get(), request);
  if (verbose) {
    for (const manager::UrgencyReply::Changed& changed : reply.changed) {
      const std::string whose = request.ids.size() > 1 ? fmt::format("{}: ", changed.id) : "";
      cli::print_error(fmt::format("{}old urgency: {}\n", whose, urgency_text(changed.before)));
    }
  }
  return cli::print_refusals("fq-job", reply.refusals);
}

}  // namespace fq::tools::job
