#include "cli/submit/submission.h"

#include <utility>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/frame/output.h"
#include "cli/submit/jobspec_builder.h"
#include "meeting/checked_jobspec.h"
#include "request/follow.h"

namespace fq::cli {

using request::JobGroup;
using request::JobspecTemplate;

JobGroup make_request(const SubmitOptions& options, JobspecTemplate jobspec) {
  JobGroup request;
  request.jobspec = std::move(jobspec);
  request.urgency = submit_urgency(options);
  request.flags = submit_flags(options);
  return request;
}

JobGroup make_request(const SubmitOptions& options, const Surroundings& surroundings) {
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

void hint_limit(std::string_view command, const door::Door& door, const SubmitOptions& options,
                notation::JobId id) {
  if (options.time_limit || ::isatty(STDERR_FILENO) != 1) return;
  request::FollowRequest request;
  request.id = id;
  request.count_reasons = 1;  // its place in the queue is not told
  for (const request::Reason& reason : door.ask(request).reasons) {
    if (reason.kind == request::Reason::Kind::limit)
      say(command, fmt::format("job {} waits: {}", id, reason.text));
  }
}

std::string dry_run_text(const JobGroup& request) {
  std::string out;
  request.for_each_jobspec([&](const std::string& text) {
    static_cast<void>(meeting::checked_jobspec(text));
    out.append(text).append(1, '\n');
  });
  return out;
}

}  // namespace fq::cli
