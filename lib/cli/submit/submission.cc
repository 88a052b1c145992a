#include "cli/submit/submission.h"

#include <utility>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/frame/output.h"
#include "cli/submit/jobspec_builder.h"
#include "manager/look/why.h"

namespace fq::cli {

using manager::JobspecTemplate;
using manager::SubmitRequest;

SubmitRequest make_request(const SubmitOptions& options, JobspecTemplate jobspec) {
  SubmitRequest request;
  request.jobspec = std::move(jobspec);
  request.urgency = submit_urgency(options);
  request.flags = submit_flags(options);
  return request;
}

SubmitRequest make_request(const SubmitOptions& options, const Surroundings& surroundings) {
  return make_request(options, JobspecTemplate::plain(dump_json(build_jobspec(options, surroundings))));
}

void tell_submitted(std::span<const notation::JobId> ids, const std::function<void()>& print) {
  try {
    print();
  } catch (const Error& failure) {
    throw Error{failure.kind(), failure.what(),
                ids.size() == 1
                    ? fmt::format("submitted job {}", ids.front())
                    : fmt::format("submitted {} jobs, {} to {}", ids.size(), ids.front(), ids.back())};
  }
}

void print_submitted(notation::JobId id) {
  tell_submitted({&id, 1}, [&] { print(notation::to_f58(id) + "\n"); });
}

void hint_limit(std::string_view command, const manager::Session& session, const SubmitOptions& options,
                notation::JobId id) {
  if (options.time_limit || ::isatty(STDERR_FILENO) != 1) return;
  for (const manager::Reason& reason : manager::why(session, id)) {
    if (reason.kind == manager::Reason::Kind::limit)
      say(command, fmt::format("job {} waits: {}", id, reason.text));
  }
}

std::string dry_run_text(const SubmitRequest& request) {
  std::string out;
  request.for_each_jobspec([&](const std::string& text) {
    static_cast<void>(manager::checked_jobspec(text));
    out.append(text).append(1, '\n');
  });
  return out;
}

}  // namespace fq::cli
