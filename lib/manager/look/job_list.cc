#include "manager/look/job_list.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "document/jobspec/begin_time.h"
#include "document/resource/resource_set.h"
#include "manager/core/permission.h"
#include "manager/look/place.h"
#include "records/instance.h"
#include "records/purged.h"
#include "records/queues.h"
#include "records/store_time.h"

namespace fq::manager {
namespace {

// Of the filter's user and queues, virtual ones included. Throws Error{not_found}.
std::map<std::string, std::uint64_t> count_jobs(const store::Reader& reader, const JobFilter& filter) {
  if (!filter.queues) return records::read_counts(reader, {filter.userid, {}});
  records::Queues queues(reader);
  std::set<std::string> names;
  for (const std::string& name : *filter.queues) {
    names.insert(name);
    if (const document::QueueConfig* queue = queues.find(name)) {
      names.insert(queue->virtual_queues.begin(), queue->virtual_queues.end());
    } else if (records::read_counts(reader, {std::nullopt, name}).empty()) {
      static_cast<void>(queues.require(name));
    }
  }
  std::map<std::string, std::uint64_t> all;
  for (const std::string& name : names) {
    for (const auto& [status, count] : records::read_counts(reader, {filter.userid, name}))
      all[status] += count;
  }
  return all;
}

void require_hosts(const store::Reader& reader, const notation::Hostlist& hosts, request::KnownHosts which) {
  if (which == request::KnownHosts::any || hosts.empty()) return;
  const auto inventory = document::ResourceSet::parse(records::read_inventory(reader));
  std::string unknown;
  for (const std::string& name : hosts.hosts()) {
    if (inventory.ranks_on(name).empty()) {
      if (unknown.empty()) unknown = name;
    } else if (which == request::KnownHosts::one) {
      return;
    }
  }
  if (unknown.empty()) return;
  throw Error{Kind::not_found, fmt::format("there is no node {}", quote(unknown)),
              "the nodes are " + inventory.nodelist()};
}

void add_left_out(const store::Reader& reader, const JobFilter& filter, JobListHead& head) {
  JobFilter ended = filter;
  ended.since = head.now - request::kEndedWindow_s;
  ended.limit = request::kMostEnded;
  head.ended = count_ended(reader, ended);
  if (!filter.default_queue) return;
  records::Queues queues(reader);
  if (!queues.named()) return;
  const std::vector<std::string>& shown = queues.require(queues.default_queue()).virtual_queues;
  for (const std::string& name : queues.names()) {
    if (name == queues.default_queue() || std::find(shown.begin(), shown.end(), name) != shown.end())
      continue;
    auto counts = records::read_counts(reader, {filter.userid, name});
    const std::uint64_t active = counts["D"] + counts["P"] + counts["S"] + counts["R"] + counts["C"];
    if (active > 0) head.elsewhere.emplace_back(name, active);
  }
}

std::vector<ListedJob> find_all(const store::Reader& reader, Rights& rights,
                                const std::vector<notation::JobId>& ids, std::vector<std::string>& missing) {
  std::vector<ListedJob> jobs;
  for (const notation::JobId id : ids) {
    try {
      jobs.push_back(find_listed(reader, rights, id));
    } catch (const Error& failure) {
      if (failure.kind() != Kind::not_found) throw;
      missing.emplace_back(failure.what());
    }
  }
  return jobs;
}

}  // namespace

void list_jobs(const Session& session, const JobListRequest& request, const JobListRows& rows) {
  query_repaired(session, [&](const store::Reader& reader) {
    const records::StoreTime time = records::store_time(reader, *session.clock);
    JobFilter filter = request.filter;
    if (request.since) filter.since = document::parse_past_time(*request.since, time.now);
    JobListHead head;
    head.now = time.now;
    head.ahead_of_boot = time.ahead_of_boot();
    require_hosts(reader, filter.hosts, request.known_hosts);
    Rights rights(reader, session.caller);
    const bool hides = !rights.sees_all();
    const bool asks_for_hidden = hides && filter.userid && filter.userid != session.caller.uid;
    if (asks_for_hidden) filter.limit = 0;
    if (hides) filter.userid = session.caller.uid;
    if (request.counts) {
      head.counts = count_jobs(reader, filter);
      if (asks_for_hidden) head.counts.clear();
      // Whose they were is not known.
      if (!hides) head.purged = records::purged_jobs(reader);
    }
    if (request.left_out) add_left_out(reader, filter, head);
    const std::vector<ListedJob> named = find_all(reader, rights, request.ids, head.missing);
    rows.begin(std::move(head));
    if (!rows.row) return;
    const auto give = [&](ListedJob&& listed) {
      if (hides) hide_jobs_in(rights, listed);
      if (request.instances && listed.job.state == job::State::run && rights.may_act(listed.job))
        listed.instance = instance_inside(session.files(), listed.job.id);
      return rows.row(std::move(listed));
    };
    do {
      if (request.ids.empty()) {
        visit_listed(reader, filter, give);
        continue;
      }
      for (const ListedJob& job : named) {
        if (!give(ListedJob{job})) break;
      }
    } while (rows.again && rows.again());
  });
}

}  // namespace fq::manager
