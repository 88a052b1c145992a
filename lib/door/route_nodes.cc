#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "document/resource/named_ranks.h"
#include "door/add_to.h"
#include "door/route.h"

namespace fq::door {
namespace {

using document::ResourceSet;
using notation::Idset;

// All nodes there are, those included that are kept out of use.
ResourceSet all_nodes(const Stores& stores) {
  const request::ResourceUse use = route(stores, request::ResourceUseRequest{});
  return use.inventory.unite(use.excluded);
}

// The one store whose nodes are named, by ranks or hosts. Throws Error{not_found}, Error{refused} for those
// of several.
std::size_t store_of_nodes(const Stores& stores, const std::string& targets) {
  const ResourceSet nodes = all_nodes(stores);
  const Idset ranks = document::named_ranks(nodes, targets);
  std::optional<std::size_t> store;
  ranks.for_each([&](std::uint32_t rank) {
    const std::size_t of = stores.of_rank(rank);
    if (store && *store != of) {
      throw Error{Kind::refused,
                  fmt::format("{} are nodes of different instances", nodes.subset(ranks).nodelist()),
                  "name those of each by themselves"};
    }
    store = of;
  });
  return store.value_or(0);
}

template <typename Request>
request::NodesReply ask_owner(const Stores& stores, const Request& request) {
  return stores.ask(store_of_nodes(stores, request.targets), request);
}

}  // namespace

request::NodesReply route(const Stores& stores, const request::DrainRequest& request) {
  return ask_owner(stores, request);
}

request::NodesReply route(const Stores& stores, const request::UndrainRequest& request) {
  return ask_owner(stores, request);
}

request::HousekeepingReply route(const Stores& stores, const request::HousekeepingRequest& request) {
  request::HousekeepingReply all;
  for (request::HousekeepingReply& part : stores.ask_all(request))
    add_to(all.running, std::move(part.running));
  std::stable_sort(all.running.begin(), all.running.end(),
                   [](const request::RunningHousekeeping& a, const request::RunningHousekeeping& b) {
                     return a.t_start < b.t_start;
                   });
  return all;
}

request::KillHousekeepingReply route(const Stores& stores, const request::KillHousekeepingRequest& request) {
  if (!request.all && request.jobs.empty())
    return stores.ask(store_of_nodes(stores, request.targets), request);
  const auto jobs = stores.split(request.jobs);
  request::KillHousekeepingReply all;
  for (std::size_t store = 0; store < stores.size(); ++store) {
    if (!request.all && jobs[store].empty()) continue;
    request::KillHousekeepingRequest part = request;
    part.jobs = jobs[store];
    request::KillHousekeepingReply reply = stores.ask(store, part);
    add_to(all.signaled, std::move(reply.signaled));
  }
  return all;
}

request::ResourceUse route(const Stores& stores, const request::ResourceUseRequest& request) {
  std::vector<request::ResourceUse> parts = stores.ask_all(request);
  request::ResourceUse all = std::move(parts.front());
  Idset of_instances;
  for (std::size_t store = 1; store < stores.size(); ++store)
    of_instances = of_instances.unite(stores.instance(store).of.ranks);
  all.excluded = all.excluded.subset(all.excluded.ranks().subtract(of_instances));
  for (request::QueueNodes& queue : all.queues) queue.ranks = queue.ranks.subtract(of_instances);
  for (std::size_t store = 1; store < stores.size(); ++store) {
    request::ResourceUse& part = parts[store];
    all.inventory = all.inventory.unite(part.inventory);
    all.allocated = all.allocated.unite(part.allocated);
    all.drains.merge(part.drains);
    all.leaving = all.leaving.unite(part.leaving);
    add_to(all.queues, std::move(part.queues));
  }
  std::sort(all.queues.begin(), all.queues.end(),
            [](const request::QueueNodes& a, const request::QueueNodes& b) { return a.name < b.name; });
  return all;
}

request::ReloadReply route(const Stores& stores, const request::ReloadRequest& request) {
  request::ReloadReply reply = stores.ask(0, request);
  // What is the instances' they have been given by now.
  for (std::size_t store = 1; store < stores.size(); ++store)
    reply.inventory = reply.inventory.unite(stores.ask(store, request::ResourceUseRequest{}).inventory);
  return reply;
}

request::Reserved route(const Stores& stores, const request::ReserveRequest& request) {
  for (const std::string& queue : request.queues) {
    if (stores.of_queue(queue) != 0)
      throw error(Kind::refused, "queue {} is an instance: none of its nodes can be reserved beforehand",
                  quote(queue));
  }
  // A number of nodes, or else those that are named.
  const bool counts =
      std::all_of(request.nodes.begin(), request.nodes.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!counts) {
    if (const std::size_t store = store_of_nodes(stores, request.nodes); store != 0) {
      throw error(Kind::refused,
                  "{} are nodes of queue {}, an instance: none of them can be reserved beforehand",
                  quote(request.nodes), quote(stores.instance(store).of.queue));
    }
  }
  return stores.ask(0, request);
}

}  // namespace fq::door
