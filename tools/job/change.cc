// fq-job urgency, memo: what may still be changed about a job.

#include <span>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "cli/frame/bulk_output.h"
#include "cli/frame/common_options.h"
#include "cli/frame/input.h"
#include "cli/frame/job_values.h"
#include "cli/frame/key_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "frame/store_session.h"
#include "job/commands.h"
#include "request/alter.h"

namespace fq::tools::job {
namespace {

std::string urgency_text(std::uint8_t urgency) {
  if (urgency == fq::job::kUrgencyHold) return "job held";
  if (urgency == fq::job::kUrgencyExpedite) return "job expedited";
  return fmt::format("{}", urgency);
}

// A last newline is the shell's, not the note's.
std::string from_standard_input() {
  std::string text = cli::read_input("-", request::kMaxMemoBytes);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// Whether the urgency stands before the jobs, as some other systems have it.
std::string order_hint(const std::vector<std::string>& operands) {
  try {
    static_cast<void>(cli::parse_urgency(operands.front()));
  } catch (const Error&) {
    return {};
  }
  return "the urgency comes last: fq job urgency ID " + operands.front();
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
  request::UrgencyRequest request;
  try {
    request.urgency = cli::parse_urgency(operands.back());
  } catch (const Error& failure) {
    throw Error{Kind::usage, fmt::format("urgency: {}", failure.what()), order_hint(operands)};
  }
  operands.pop_back();
  request.ids = cli::parse_job_ids(operands);
  const tools::StoreSession store("fq-job", common);
  const auto reply = store.get().ask(request);
  if (verbose) {
    for (const request::UrgencyChange& changed : reply.done) {
      const std::string whose = request.ids.size() > 1 ? fmt::format("{}: ", changed.id) : "";
      cli::print_error(fmt::format("{}old urgency: {}\n", whose, urgency_text(changed.before)));
    }
  }
  return cli::print_refusals("fq-job", reply.refusals);
}

int memo(int argc, char** argv) {
  cli::CommonOptions common;
  request::MemoRequest request;
  cli::OptionParser parser("fq-job memo", "keep notes with a job, as its fields user.KEY",
                           {"ID KEY=VALUE...", 2, cli::Operands::kUnlimited});
  parser.example("fq job memo ƒ2GMuTnf stage=training epoch=3");
  parser.example("fq jobs -o '{id} {user.stage}'");
  parser.group("Options");
  parser.flag("--volatile", request.keeps_no_event, "leave no event, and forget them when the job ends");
  cli::add_common_options(parser, common);
  const auto operands = parser.parse(argc, argv);
  request.id = cli::parse_job_id(operands.front());
  nlohmann::json notes = nlohmann::json::object();
  for (const std::string& operand : std::span(operands).subspan(1)) {
    const auto [key, value] = cli::split_assignment(operand);
    cli::set_at_path(notes, key, cli::json_or_text(value == "-" ? from_standard_input() : value));
  }
  request.memo = dump_json(notes);
  const tools::StoreSession store("fq-job", common);
  store.get().ask(request);
  return 0;
}

}  // namespace fq::tools::job
