#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "door/add_to.h"
#include "door/route.h"

namespace fq::door {
namespace {

void by_name(std::vector<request::QueueStatus>& queues) {
  std::sort(queues.begin(), queues.end(),
            [](const request::QueueStatus& a, const request::QueueStatus& b) { return a.queue < b.queue; });
}

// What instances have of the machine, of which each has its own part.
template <typename Report>
void add_nodes(Report& all, const Report& part) {
  all.nodes += part.nodes;
  all.drained_nodes += part.drained_nodes;
  all.cores += part.cores;
  all.allocated_cores += part.allocated_cores;
  all.gpus += part.gpus;
  all.allocated_gpus += part.allocated_gpus;
}

[[noreturn]] void refuse_accounts(const Stores& stores) {
  throw Error{
      Kind::refused,
      fmt::format(
          "there can be no accounts: queue {} is an instance, and nobody would be charged for its jobs",
          quote(stores.instance(1).of.queue))};
}

}  // namespace

request::QueueReply route(const Stores& stores, const request::QueueRequest& request) {
  if (!request.all) return stores.ask(stores.of_queue(request.queue), request);
  request::QueueReply all;
  for (request::QueueReply& part : stores.ask_all(request)) add_to(all.queues, std::move(part.queues));
  by_name(all.queues);
  return all;
}

request::QueueStatusReply route(const Stores& stores, const request::QueueStatusRequest& request) {
  if (request.queue) return stores.ask(stores.of_queue(*request.queue), request);
  request::QueueStatusReply all;
  for (request::QueueStatusReply& part : stores.ask_all(request)) {
    add_to(all.queues, std::move(part.queues));
    all.waiting += part.waiting;
    all.running += part.running;
  }
  by_name(all.queues);
  return all;
}

request::QueueOverviewReply route(const Stores& stores, const request::QueueOverviewRequest& request) {
  std::vector<request::QueueOverviewRequest> parts(stores.size(), request);
  if (request.wanted) {
    for (request::QueueOverviewRequest& part : parts) part.wanted->clear();
    for (const std::string& queue : *request.wanted) parts[stores.of_queue(queue)].wanted->insert(queue);
  }
  request::QueueOverviewReply all;
  for (std::size_t store = 0; store < stores.size(); ++store) {
    if (request.wanted && parts[store].wanted->empty() && !request.wanted->empty()) continue;
    request::QueueOverviewReply reply = stores.ask(store, parts[store]);
    if (store != 0) {
      for (request::QueueOverview& queue : reply.queues) queue.is_default = false;
    }
    add_to(all.queues, std::move(reply.queues));
  }
  std::sort(all.queues.begin(), all.queues.end(),
            [](const request::QueueOverview& a, const request::QueueOverview& b) {
              return a.status.queue < b.status.queue;
            });
  return all;
}

request::RestReply route(const Stores& stores, const request::WaitForRestRequest& request) {
  if (request.queue) return stores.ask(stores.of_queue(*request.queue), request);
  request::WaitForRestRequest now = request;
  now.timeout_s = 0;
  // All at the same time, or as nearly as can be told.
  return {stores.wait_until(request.timeout_s, [&] {
    const auto parts = stores.ask_all(now);
    return std::all_of(parts.begin(), parts.end(), [](const request::RestReply& part) { return part.rests; });
  })};
}

request::QueuePrioritiesReply route(const Stores& stores, const request::QueuePrioritiesRequest& request) {
  if (request.queue) return stores.ask(stores.of_queue(*request.queue), request);
  request::QueuePrioritiesReply all;
  for (request::QueuePrioritiesReply& part : stores.ask_all(request))
    add_to(all.queues, std::move(part.queues));
  std::sort(
      all.queues.begin(), all.queues.end(),
      [](const request::QueuePriority& a, const request::QueuePriority& b) { return a.queue < b.queue; });
  return all;
}

request::PriorityUpdate route(const Stores& stores, const request::UpdatePrioritiesRequest& request) {
  request::PriorityUpdate all;
  for (const request::PriorityUpdate& part : stores.ask_all(request)) {
    all.was_due |= part.was_due;
    all.waiting += part.waiting;
    all.running += part.running;
  }
  return all;
}

request::InstanceOverview route(const Stores& stores, const request::InstanceRequest& request) {
  if (request.queue) return stores.ask(stores.of_queue(*request.queue), request);
  const auto parts = stores.ask_all(request);
  request::InstanceOverview all = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const request::InstanceOverview& part = parts[i];
    add_nodes(all, part);
    all.allocated_nodes += part.allocated_nodes;
    all.takes_jobs |= part.takes_jobs;
    all.starts_jobs |= part.starts_jobs;
    all.pending += part.pending;
    all.running += part.running;
    all.completed += part.completed;
    all.failed += part.failed;
  }
  return all;
}

request::SiteReport route(const Stores& stores, const request::SiteRequest& request) {
  std::vector<request::SiteReport> parts = stores.ask_all(request);
  request::SiteReport all = std::move(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    request::SiteReport& part = parts[i];
    add_nodes(all, part);
    for (auto& [queue, counts] : part.jobs) {
      for (const auto& [what, count] : counts) all.jobs[queue][what] += count;
    }
    add_to(all.queues, std::move(part.queues));
    for (request::SiteReport::Day& day : part.days) {
      const auto same = std::find_if(all.days.begin(), all.days.end(),
                                     [&](const auto& each) { return each.date == day.date; });
      if (same == all.days.end()) continue;
      for (const auto& [who, hours] : day.core_hours) same->core_hours[who] += hours;
    }
    add_to(all.waits, std::move(part.waits));
  }
  by_name(all.queues);
  return all;
}

request::LogReply route(const Stores& stores, const request::LogRequest& request) {
  request::LogReply all;
  for (request::LogReply& part : stores.ask_all(request)) add_to(all.events, std::move(part.events));
  std::stable_sort(
      all.events.begin(), all.events.end(),
      [](const request::LoggedEvent& a, const request::LoggedEvent& b) { return a.timestamp < b.timestamp; });
  if (request.most != 0 && all.events.size() > request.most)
    all.events.erase(all.events.begin(), all.events.end() - static_cast<std::ptrdiff_t>(request.most));
  return all;
}

request::EditAccountsReply route(const Stores& stores, const request::EditAccountsRequest& /*request*/) {
  refuse_accounts(stores);
}

request::TransferCounts route(const Stores& stores, const request::ImportAccountsRequest& /*request*/) {
  refuse_accounts(stores);
}

request::ReportReply route(const Stores& stores, const request::ReportRequest& request) {
  std::vector<request::ReportReply> parts = stores.ask_all(request);
  request::ReportReply all = std::move(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    for (request::ReportRow& row : parts[i].rows) {
      const auto same = std::find_if(all.rows.begin(), all.rows.end(),
                                     [&](const request::ReportRow& each) { return each.key == row.key; });
      if (same == all.rows.end()) {
        all.rows.push_back(std::move(row));
        continue;
      }
      same->jobs += row.jobs;
      for (std::size_t r = 0; r < row.seconds.size(); ++r) same->seconds[r] += row.seconds[r];
    }
  }
  // The sum, which has no key, is last; what is told apart by size stands as it came.
  const bool sized =
      std::find(request.by.begin(), request.by.end(), request::ReportBy::size) != request.by.end();
  std::stable_sort(all.rows.begin(), all.rows.end(),
                   [&](const request::ReportRow& a, const request::ReportRow& b) {
                     if (a.key.empty() != b.key.empty()) return b.key.empty();
                     return !sized && a.key < b.key;
                   });
  return all;
}

}  // namespace fq::door
