#include "sim/from_store.h"

#include <algorithm>
#include <map>

#include "base/json.h"
#include "job/job.h"
#include "manager/accounts/overview.h"
#include "manager/core/access.h"
#include "manager/core/inventory.h"
#include "records/job_record.h"
#include "records/keys.h"
#include "request/account_tables.h"

namespace fq::sim {
namespace {

TraceJob traced(const job::Job& job) {
  TraceJob traced;
  traced.submit = job.t_submit;
  traced.runtime = job.t_cleanup - job.t_run;
  traced.limit = job.duration;
  traced.user = job.userid;
  traced.queue_name = job.queue;
  traced.bank = job.bank;
  traced.project = job.project;
  traced.qos = job.qos;
  traced.constraint = job.constraint;
  traced.urgency = job.urgency;
  traced.processors = std::max(job.counts.nslots, 1U);
  traced.cores = std::max(job.counts.cores_per_slot, 1U);
  traced.gpus = job.counts.gpus_per_slot;
  traced.nodes = job.counts.nnodes;
  traced.exclusive = job.counts.exclusive;
  return traced;
}

}  // namespace

Trace stored_jobs(const manager::Session& session, StoredSetup& setup) {
  Trace trace;
  manager::query(session, [&](const store::Reader& reader) {
    trace = {};
    setup = {};
    setup.nodes = manager::read_nodes(reader);
    const auto config = reader.get(store::Family::instance, records::key::kConfig);
    setup.config = config ? parse_json(*config, "configuration") : nlohmann::json::object();
    const request::AccountTree tree = manager::account_tree(reader, session);
    if (tree.exists) {
      request::read_bank_table(request::bank_table(tree), "banks", setup.accounts);
      request::read_user_table(request::user_table(tree), "users", setup.accounts);
    }
    for (const auto at = reader.scan(store::Family::jobs, "", ""); at->valid(); at->next()) {
      const job::Job job = records::decode_job(at->value());
      if (job.state != job::State::inactive) {
        ++trace.left_out[job.t_run > 0 ? "still running" : "still waiting"];
      } else if (job.t_run <= 0) {
        ++trace.left_out["ended without having run"];
      } else {
        trace.jobs.push_back(traced(job));
      }
    }
  });
  std::stable_sort(trace.jobs.begin(), trace.jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.submit < b.submit; });
  const double begin = trace.jobs.empty() ? 0 : trace.jobs.front().submit;
  std::map<std::int64_t, std::string> names;
  for (TraceJob& job : trace.jobs) {
    job.id = static_cast<std::uint64_t>(&job - trace.jobs.data()) + 1;
    job.submit -= begin;
    const auto [at, is_new] = names.try_emplace(job.user);
    if (!is_new) continue;
    const process::Names known = process::look_up_names(static_cast<std::uint32_t>(job.user), 0);
    at->second = known.user;
    trace.groups[job.user].insert(known.groups.begin(), known.groups.end());
  }
  for (const auto& [user, name] : names) {
    if (name != std::to_string(user)) trace.names.emplace_back(user, name);
  }
  return trace;
}

}  // namespace fq::sim
