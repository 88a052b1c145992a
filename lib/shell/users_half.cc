#include "shell/users_half.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "document/resource/resource_set.h"
#include "meeting/launch.h"
#include "shell/R_lines.h"
#include "shell/shell_run.h"
#include "shell/wire_keeping.h"
#include "signature/exec_message.h"
#include "signature/fields.h"
#include "signature/refused.h"

namespace fq::shell {
namespace {

// Whose jobs have two halves.
constexpr char kStore[] = "/var/lib/fq";

std::string read_all(const UniqueFd& fd) {
  std::string bytes;
  char buffer[65536];
  for (ssize_t n; (n = ::read(fd.get(), buffer, sizeof buffer)) > 0;)
    bytes.append(buffer, static_cast<std::size_t>(n));
  return bytes;
}

meeting::LaunchPlan plan_of(const std::string& text, const Clock& clock) {
  const signature::SignedJob job = signature::decode_job(text);
  meeting::LaunchPlan plan;
  plan.id.value = job.id;
  plan.attempt = job.attempt;
  plan.userid = ::getuid();
  plan.jobspec = job.count == 0 ? job.payload : signature::fill_template(job.payload, job.values);
  plan.R = decode_R_lines(job.R).encode();
  plan.time = clock.now();
  plan.boot_time = clock.boot_time();
  plan.boot_id = boot_id();
  return plan;
}

}  // namespace

void run_users_half(UniqueFd job, UniqueFd in, UniqueFd out) {
  const SystemClock clock;
  meeting::LaunchPlan plan;
  try {
    plan = plan_of(read_all(job), clock);
  } catch (const signature::Refused& refused) {
    throw Error{Kind::invalid, refused.what()};
  }
  job.reset();
  Wire wire(std::move(in), std::move(out));
  WireKeeping keeping(wire);
  // The time limit is the keeper's to keep.
  keeping.receive_rules(plan);
  [[maybe_unused]] const meeting::ShellOutcome told =
      ShellRun{meeting::JobFiles(kStore), plan, clock, keeping}.run();
}

}  // namespace fq::shell
