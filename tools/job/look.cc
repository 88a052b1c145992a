// fq-job info, data, why, id, last, timeleft: what the store says of a job.

#include <cmath>
#include <cstdlib>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/frame/bulk_output.h"
#include "cli/frame/common_options.h"
#include "cli/frame/damaged_option.h"
#include "cli/frame/input.h"
#include "cli/frame/job_instance.h"
#include "cli/frame/job_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/slice.h"
#include "door/door.h"
#include "frame/store_session.h"
#include "job/commands.h"
#include "notation/fsd.h"
#include "request/alter.h"
#include "request/byte_stream.h"
#include "request/document.h"
#include "request/find_job.h"
#include "request/refusal.h"
#include "request/why.h"

namespace fq::tools::job {
namespace {

// `as_text`: its last line has an end.
void print_document(const door::Door& door, const request::DocumentRequest& request, bool as_text) {
  request::ByteStream document = door.ask(request).bytes.value();
  char last = '\n';
  for (std::string_view piece; !(piece = document.read()).empty();) {
    cli::print(piece);
    last = piece.back();
  }
  if (as_text && last != '\n') cli::print("\n");
}

}  // namespace

int info(int argc, char** argv) {
  cli::CommonOptions common;
  bool original = false, base = false;
  cli::OptionParser parser("fq-job info", "print a document of a job, or the keys of all",
                           {"ID [KEY]", 1, 2});
  parser.example("fq job info ƒ2GMuTnf jobspec");
  parser.example("fq job info ƒ2GMuTnf guest.output");
  parser.group("Which jobspec");
  parser.flag("-o,--original", original, "as it was submitted");
  parser.flag("-b,--base", base, "as it was submitted, without the environment");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  const auto operands = parser.parse(argc, argv);
  const notation::JobId id = cli::parse_job_id(operands[0]);
  const tools::StoreSession store("fq-job", common);
  const auto form = original ? request::JobspecForm::original
                    : base   ? request::JobspecForm::base
                             : request::JobspecForm::current;
  if (operands.size() == 1) {
    cli::print(join(store.get().ask(request::DocumentKeysRequest{id}).keys, "\n") + "\n");
    return 0;
  }
  const std::string& key = operands[1];
  print_document(store.get(), {id, key, form},
                 !key.starts_with(request::kGuestKeys) && !key.starts_with(request::kDataKeys));
  return 0;
}

int data(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-job data", "print what a service keeps with a job, or keep FILE in its place",
                           {"ID SERVICE [FILE]", 2, 3});
  parser.example("fq job data ƒ2GMuTnf trace trace.json");
  parser.example("fq job data ƒ2GMuTnf trace");
  cli::add_common_options(parser, common);
  const auto operands = parser.parse(argc, argv);
  request::ServiceDataRequest request{cli::parse_job_id(operands[0]), operands[1], {}};
  if (operands.size() == 3) {
    request::require_service_name(request.service);
    request.bytes = cli::read_input(operands[2], request::kMaxServiceBytes);
    const tools::StoreSession store("fq-job", common);
    store.get().ask(request);
    return 0;
  }
  const tools::StoreSession store("fq-job", common);
  const std::string key = fmt::format("{}{}", request::kDataKeys, request.service);
  print_document(store.get(), {request.id, key}, false);
  return 0;
}

int why(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-job why", "say why jobs have not started",
                           {"ID...", 1, cli::Operands::kUnlimited});
  bool json = false;
  parser.example("fq job why $(fq job last)");
  parser.group("Output");
  parser.flag("--json", json, "print JSON, a line for each job");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  const std::vector<notation::JobId> ids = cli::parse_job_ids(parser.parse(argc, argv));
  const tools::StoreSession store("fq-job", common);
  std::vector<request::Refusal> refusals;
  for (const notation::JobId id : ids) {
    std::vector<std::string> reasons;
    try {
      for (request::Reason& reason : store.get().ask(request::WhyRequest{id}).reasons)
        reasons.push_back(std::move(reason.text));
    } catch (const Error& failure) {
      if (!request::is_about_the_job(failure.kind())) throw;
      refusals.push_back({id, failure});
      continue;
    }
    if (json) {
      cli::print(dump_json({{"id", id.value}, {"jobid", notation::to_f58(id)}, {"reasons", reasons}}) + "\n");
      continue;
    }
    for (const std::string& reason : reasons) cli::print_line(fmt::format("{}: {}", id, reason));
  }
  return cli::print_refusals("fq-job", refusals);
}

int id(int argc, char** argv) {
  notation::IdForm form = notation::IdForm::dec;
  cli::OptionParser parser("fq-job id", "print job ids in another form",
                           {"[ID]...", 0, cli::Operands::kUnlimited});
  parser.example("fq job id --to=f58 41171288064");
  parser.example("fq jobs -no '{id}' | fq job id");
  parser.group("Options");
  parser.option(
      "-t,--to", "FORM", [&](const std::string& value) { form = notation::parse_id_form(value); },
      "dec, hex, dothex, f58, f58plain, kvs, emoji, words");
  const auto print_id = [&](notation::JobId id) { cli::print(notation::format_id(id, form) + "\n"); };
  const auto operands = parser.parse(argc, argv);
  for (const std::string& operand : operands) print_id(cli::parse_job_id(operand));
  if (!operands.empty()) return 0;
  const std::string input = cli::read_input("-");
  if (trim(input).empty()) throw Error{Kind::invalid, "expected job ids on standard input, one a line"};
  for (const std::string_view line : split(trim(input), '\n')) print_id(notation::parse_job_id(line));
  return 0;
}

int last(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-job last", "print the ids of your latest jobs, the latest first",
                           {"[N|SLICE]", 0, 1});
  parser.example("fq job last 3");
  parser.example("fq job last [::-1]");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  const auto operands = parser.parse(argc, argv);
  cli::Slice slice;
  slice.stop = 1;
  if (!operands.empty() && operands[0].find('[') != std::string::npos) {
    try {
      slice = cli::Slice::parse(operands[0]);
    } catch (const Error& failure) {
      throw error(Kind::usage, "{}", failure.what());
    }
  } else if (!operands.empty()) {
    const auto count = parse_u64(operands[0]);
    if (!count || *count > INT64_MAX) {
      throw error(Kind::usage, "expected a number of jobs or a slice, got {}", quote(operands[0]));
    }
    slice.stop = static_cast<std::int64_t>(*count);
  }
  const tools::StoreSession store("fq-job", common);
  const auto ids =
      store.get().ask(request::LastJobsRequest{::getuid(), slice.needs().value_or(SIZE_MAX)}).ids;
  std::string out;
  for (const std::size_t index : slice.indexes(ids.size())) out += notation::to_f58(ids[index]) + "\n";
  cli::print(out);
  return 0;
}

int timeleft(int argc, char** argv) {
  cli::CommonOptions common;
  bool human = false;
  cli::OptionParser parser("fq-job timeleft", "print the seconds until a job's time limit", {"[ID]", 0, 1});
  parser.example("fq job timeleft -H ƒ2GMuTnf");
  parser.group("Options");
  parser.flag("-H,--human", human, "as a duration: 9.5m");
  cli::add_common_options(parser, common);
  const auto operands = parser.parse(argc, argv);
  const char* own = std::getenv("FLUX_JOB_ID");
  if (operands.empty() && (own == nullptr || *own == '\0')) {
    throw Error{Kind::usage, "which job? give its id, or ask from within a job"};
  }
  const notation::JobId id = cli::parse_job_id(operands.empty() ? own : operands[0]);
  // A batch job is not in the instance that it has to itself.
  if (operands.empty() && common.store && cli::is_job_instance(*common.store))
    common.store = cli::store_around_instance();
  const tools::StoreSession store("fq-job", common);
  const double left = store.get().ask(request::TimeLeftRequest{id}).seconds;
  if (human) {
    cli::print(notation::format_fsd(left) + "\n");
  } else {
    // Whole seconds; the last one is not 0, which means that the time is over. No limit is UINT_MAX, as in
    // Flux.
    const double whole = left > 0 && left < 1 ? 1 : std::floor(left);
    cli::print(fmt::format("{}\n", std::isinf(left) ? UINT32_MAX : static_cast<std::uint64_t>(whole)));
  }
  return 0;
}

}  // namespace fq::tools::job
