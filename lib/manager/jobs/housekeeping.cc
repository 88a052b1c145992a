#include "manager/jobs/housekeeping.h"

#include <algorithm>
#include <csignal>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "document/resource/named_ranks.h"
#include "manager/core/log_act.h"
#include "manager/core/permission.h"
#include "manager/engine/reserve.h"
#include "manager/look/query.h"
#include "manager/run/allocation.h"
#include "manager/site/drain.h"
#include "meeting/control.h"
#include "records/instance.h"
#include "records/job_table.h"
#include "records/keys.h"

namespace fq::manager {

using document::ResourceSet;
using notation::Idset;

namespace {

constexpr document::PerilogKind kKind = document::PerilogKind::housekeeping;

// With the job, unless that was purged: of its last run by the name alone, of earlier ones with the attempt.
void keep_output(Change& change, const records::Housekeeping& housekeeping, const std::string& output) {
  const job::Job* job = change.find_job(housekeeping.job);
  if (job == nullptr || output.empty()) return;
  std::string name{document::name(kKind)};
  if (job->attempt != housekeeping.job_attempt || job::is_pending(job->state))
    name += fmt::format(".{}", housekeeping.job_attempt);
  change.put_document(housekeeping.job, records::key::guest(housekeeping.job, name), output);
}

}  // namespace

HousekeepingEnd collect_housekeeping(const meeting::JobFiles& files, JobId id, std::uint32_t attempt,
                                     const meeting::PerilogOutcome& outcome) {
  const std::string path = fmt::format("{}/{}", files.guest(id), document::name(kKind));
  return {id, attempt, outcome, read_file_if_exists(path).value_or("")};
}

void finish_housekeeping(Change& change, const HousekeepingEnd& end) {
  const auto housekeeping = records::find_housekeeping(change.transaction(), end.id);
  if (!housekeeping || housekeeping->attempt != end.attempt) return;
  if (end.outcome.status != 0 && housekeeping->what.drains) {
    drain(change, ResourceSet::parse(housekeeping->R).ranks(),
          fmt::format("{} after job {} failed: {} {}", document::name(kKind), housekeeping->job,
                      quote(join(housekeeping->what.command, " ")), end.outcome.note));
  }
  keep_output(change, *housekeeping, end.output);
  release_housekeeping(change, *housekeeping);
  change.effects().ended.push_back(end.id);
}

request::HousekeepingReply list_housekeeping(const Session& session) {
  request::HousekeepingReply reply;
  query_repaired(session, [&](const store::Reader& reader) {
    reply = {};
    Rights rights(reader, session.caller);
    for (const records::Housekeeping& each : records::read_housekeepings(reader)) {
      if (!rights.sees(each.userid)) continue;
      const auto r = ResourceSet::parse(each.R);
      reply.running.push_back({each.job, each.userid, each.t_start, r.ranks(), r.nodelist(),
                               join(each.what.command, " "), each.attempt});
    }
  });
  return reply;
}

request::KillHousekeepingReply kill_housekeeping(const Session& session,
                                                 const request::KillHousekeepingRequest& request) {
  std::vector<records::Housekeeping> chosen;
  query_repaired(session, [&](const store::Reader& reader) {
    chosen.clear();
    require_operator(reader, session.caller, "signal housekeeping");
    if (request.signal < 1 || request.signal > SIGRTMAX)
      throw error(Kind::usage, "there is no signal {}: expected 1 to {}", request.signal, SIGRTMAX);
    const auto inventory = ResourceSet::parse(records::read_inventory(reader));
    const Idset ranks = request.targets.empty() ? Idset{} : document::named_ranks(inventory, request.targets);
    std::vector<JobId> missing = request.jobs;
    for (records::Housekeeping& each : records::read_housekeepings(reader)) {
      std::erase(missing, each.job);
      const bool named = std::ranges::find(request.jobs, each.job) != request.jobs.end();
      const bool there = !ranks.intersect(ResourceSet::parse(each.R).ranks()).empty();
      if (request.all || named || there) chosen.push_back(std::move(each));
    }
    if (!missing.empty())
      throw error(Kind::not_found, "there is no housekeeping after job {}", missing.front());
  });
  if (!chosen.empty()) {
    transact(session, [&](Change& change) {
      std::vector<std::uint64_t> jobs;
      for (const records::Housekeeping& each : chosen) jobs.push_back(each.job.value);
      log_act(change, "housekeeping-kill", {{"jobs", jobs}, {"signal", request.signal}});
    });
  }
  request::KillHousekeepingReply reply;
  for (const records::Housekeeping& each : chosen) {
    const meeting::ControlEpilogSignal order{request.signal};
    if (with_reserve(session.store, [&] { return meeting::write_control(session.files(), each.id, order); }))
      reply.signaled.push_back(each.job);
  }
  return reply;
}

}  // namespace fq::manager
