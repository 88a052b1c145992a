#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "document/config/queue_instances.h"
#include "door/add_to.h"
#include "door/route.h"

namespace fq::door {

using notation::JobId;

namespace {

// Of which stores something is wanted, and which of the queues.
std::vector<std::optional<std::set<std::string>>> queues_of(
    const Stores& stores, const std::optional<std::set<std::string>>& queues) {
  std::vector<std::optional<std::set<std::string>>> parts(stores.size());
  if (!queues) return parts;
  for (auto& part : parts) part.emplace();
  for (const std::string& queue : *queues) parts[stores.of_queue(queue)]->insert(queue);
  return parts;
}

// What another configuration of the store gives to an instance; nothing where it is none there.
std::optional<request::SupposeRequest> supposed_for(const request::SupposeRequest& request,
                                                    const document::QueueInstance& instance) {
  request::SupposeRequest part;
  part.weights = request.weights;
  if (request.config.empty()) return part;
  const document::ConfigSource source(request.config);
  const auto& document = source.document();
  if (!document.contains("queues") || !document["queues"].is_object() ||
      !document["queues"].contains(instance.queue))
    return std::nullopt;
  part.config = {{request.config.front().name, dump_json(document::instance_document(document, instance))}};
  return part;
}

}  // namespace

request::Nothing route(const Stores& stores, const request::RequireJobsRequest& request) {
  for (const JobId id : request.ids)
    static_cast<void>(stores.ask(stores.of(id), request::RequireJobsRequest{{id}}));
  return {};
}

request::JobIds route(const Stores& stores, const request::LastJobsRequest& request) {
  request::JobIds all;
  for (request::JobIds& part : stores.ask_all(request)) add_to(all.ids, std::move(part.ids));
  std::sort(all.ids.begin(), all.ids.end(), [](JobId a, JobId b) { return b < a; });
  if (all.ids.size() > request.count) all.ids.resize(request.count);
  return all;
}

request::JobIds route(const Stores& stores, const request::EnclosingRequest& request) {
  if (request.queue) return stores.ask(stores.of_queue(*request.queue), request);
  request::JobIds all;
  for (request::JobIds& part : stores.ask_all(request)) add_to(all.ids, std::move(part.ids));
  return all;
}

request::InstancesReply route(const Stores& stores, const request::InstancesRequest& request) {
  request::InstancesReply all;
  all.stores.resize(request.ids.size());
  for (std::size_t store = 0; store < stores.size(); ++store) {
    request::InstancesRequest part;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < request.ids.size(); ++i) {
      if (stores.of(request.ids[i]) != store) continue;
      part.ids.push_back(request.ids[i]);
      places.push_back(i);
    }
    if (places.empty()) continue;
    request::InstancesReply reply = stores.ask(store, part);
    for (std::size_t i = 0; i < places.size(); ++i) all.stores[places[i]] = std::move(reply.stores.at(i));
  }
  return all;
}

request::WatchReply route(const Stores& stores, const request::WatchRequest& request) {
  std::vector<request::WatchRequest> parts(stores.size());
  std::vector<std::vector<std::size_t>> places(stores.size());
  for (std::size_t i = 0; i < request.jobs.size(); ++i) {
    const std::size_t store = stores.of(request.jobs[i].id);
    parts[store].jobs.push_back(request.jobs[i]);
    places[store].push_back(i);
  }
  const std::size_t first = request.jobs.empty() ? 0 : stores.of(request.jobs.front().id);
  if (places[first].size() == request.jobs.size()) return stores.ask(first, request);
  request::WatchReply all;
  for (std::size_t store = 0; store < stores.size(); ++store) {
    if (places[store].empty()) continue;
    // A store may tell of an end that is before the last one of another: by times none is left out.
    parts[store].ended_since = request.ended_since;
    parts[store].all = true;
    request::WatchReply reply = stores.ask(store, parts[store]);
    if (store == first) all.t_submit = reply.t_submit;
    for (request::WatchNews& news : reply.news) {
      news.index = places[store].at(news.index);
      all.news.push_back(std::move(news));
    }
  }
  std::sort(all.news.begin(), all.news.end(),
            [](const request::WatchNews& a, const request::WatchNews& b) { return a.index < b.index; });
  return all;
}

request::Nothing route(const Stores& stores, const request::WaitForJobsRequest& request) {
  const auto parts = stores.split(request.ids);
  for (std::size_t store = 0; store < stores.size(); ++store) {
    if (!parts[store].empty())
      static_cast<void>(stores.ask(store, request::WaitForJobsRequest{parts[store]}));
  }
  return {};
}

request::PriorityReply route(const Stores& stores, const request::PriorityRequest& request) {
  const auto ids = stores.split(request.ids);
  const auto queues = queues_of(stores, request.queues);
  request::PriorityReply all;
  for (std::size_t store = 0; store < stores.size(); ++store) {
    if (!request.ids.empty() ? ids[store].empty() : queues[store] && queues[store]->empty()) continue;
    request::PriorityRequest part{ids[store], queues[store], request.most};
    if (!request.ids.empty()) part.queues = request.queues;
    add_to(all.rows, stores.ask(store, part).rows);
  }
  if (request.ids.empty()) {
    if (all.rows.size() > request.most) all.rows.resize(request.most);
    return all;
  }
  const auto place = [&](const request::PriorityRow& row) {
    return std::find(request.ids.begin(), request.ids.end(), row.job.id) - request.ids.begin();
  };
  std::stable_sort(
      all.rows.begin(), all.rows.end(),
      [&](const request::PriorityRow& a, const request::PriorityRow& b) { return place(a) < place(b); });
  return all;
}

request::SupposeReply route(const Stores& stores, const request::SupposeRequest& request) {
  request::SupposeReply all = stores.ask(0, request);
  for (std::size_t store = 1; store < stores.size(); ++store) {
    if (const auto part = supposed_for(request, stores.instance(store).of))
      add_to(all.rows, stores.ask(store, *part).rows);
  }
  return all;
}

}  // namespace fq::door
