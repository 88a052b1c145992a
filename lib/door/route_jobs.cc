#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/jobspec/dependency.h"
#include "door/add_to.h"
#include "door/route.h"

namespace fq::door {
namespace {

using nlohmann::json;
using notation::JobId;

// A text that no jobspec has, in the places of a template.
constexpr std::string_view kPlace = "\"\\u0001\\u0002fq\"";

const json* member_of(const json* at, std::string_view key) {
  if (at == nullptr || !at->is_object()) return nullptr;
  const auto member = at->find(std::string{key});
  return member == at->end() ? nullptr : &*member;
}

const json* system_attribute(const json& jobspec, std::string_view key) {
  return member_of(member_of(member_of(&jobspec, "attributes"), "system"), key);
}

// Where a jobspec goes, and which jobs it waits for. One that is none is refused where it goes.
struct Address {
  std::string queue;
  std::vector<JobId> waits_for;
  bool varies = false;  // there are places in it
};

Address address_of(const std::string& text) {
  Address address;
  json jobspec;
  try {
    jobspec = parse_json(text, "jobspec");
  } catch (const Error&) {
    return address;
  }
  const json place = json::parse(kPlace);
  if (const json* queue = system_attribute(jobspec, "queue"); queue != nullptr && queue->is_string()) {
    address.queue = queue->get<std::string>();
    address.varies = address.queue.find(place.get_ref<const std::string&>()) != std::string::npos;
  }
  const json* dependencies = system_attribute(jobspec, "dependencies");
  if (dependencies == nullptr || !dependencies->is_array()) return address;
  for (const json& each : *dependencies) {
    const json* value = member_of(&each, "value");
    if (value != nullptr && value->is_string() &&
        value->get_ref<const std::string&>().find(place.get_ref<const std::string&>()) != std::string::npos)
      address.varies = true;
    try {
      const document::Dependency dependency = document::dependency_from_json(JsonAt{each, "dependency"});
      if (document::is_on_a_job(dependency.kind)) address.waits_for.push_back(dependency.job);
    } catch (const Error&) {
      continue;
    }
  }
  return address;
}

// The one store of all jobs that are submitted.
class Destination {
 public:
  explicit Destination(const Stores& stores) : stores_(stores) {}

  void add(const request::JobGroup& group) {
    group.require_form();
    const request::JobTexts places(group.jobspec.pieces.size() - 1,
                                   request::NumberedText{{std::string{kPlace}}});
    const Address address = address_of(group.jobspec.text(places, 0));
    if (!address.varies) return add(address);
    group.for_each_jobspec([&](const std::string& text) { add(address_of(text)); });
  }
  [[nodiscard]] std::size_t store() const { return store_.value_or(0); }

 private:
  void add(const Address& address) {
    const std::size_t store = stores_.of_queue(address.queue);
    if (store_ && *store_ != store) {
      throw Error{Kind::refused,
                  fmt::format("{} and {} are different instances, and a submission is one's", name(queue_),
                              name(address.queue)),
                  "submit to each of them by itself"};
    }
    store_ = store;
    queue_ = address.queue;
    for (const JobId id : address.waits_for) {
      if (stores_.of(id) == store) continue;
      throw Error{Kind::refused, fmt::format("a job in {} cannot wait for job {}", name(address.queue), id),
                  "a queue that is an instance knows its own jobs only, and others do not know them"};
    }
  }
  static std::string name(const std::string& queue) {
    return queue.empty() ? std::string{"the default queue"} : fmt::format("queue {}", quote(queue));
  }

  const Stores& stores_;
  std::optional<std::size_t> store_;
  std::string queue_;
};

// Puts what has been asked by ids into the order of these.
template <typename Value, typename IdOf>
void order_by(const std::vector<JobId>& ids, std::vector<Value>& values, const IdOf& id_of) {
  std::map<JobId, std::size_t> place;
  for (std::size_t i = 0; i < ids.size(); ++i) place.try_emplace(ids[i], i);
  std::stable_sort(values.begin(), values.end(),
                   [&](const Value& a, const Value& b) { return place.at(id_of(a)) < place.at(id_of(b)); });
}

constexpr auto kItself = [](JobId id) { return id; };
constexpr auto kRefused = [](const request::Refusal& refusal) { return refusal.id; };

// The selection for one of the stores; nothing where it has none of the queues.
std::optional<request::JobFilter> part_of(const Stores& stores, const request::JobFilter& filter,
                                          std::size_t store) {
  if (!filter.queues) return filter.default_queue && store != 0 ? std::nullopt : std::optional{filter};
  request::JobFilter part = filter;
  std::erase_if(*part.queues, [&](const std::string& queue) { return stores.of_queue(queue) != store; });
  return part.queues->empty() ? std::nullopt : std::optional{std::move(part)};
}

// Each store is asked for what is its; `add` takes what it says.
template <typename Request, typename Add>
void ask_each(const Stores& stores, const Request& request, const Add& add) {
  const auto parts = stores.split(request.ids);
  for (std::size_t store = 0; store < stores.size(); ++store) {
    if (parts[store].empty()) continue;
    Request part = request;
    part.ids = parts[store];
    add(stores.ask(store, part));
  }
}

template <typename Request, typename IdOf>
typename Request::Reply route_bulk(const Stores& stores, const Request& request, const IdOf& id_of) {
  typename Request::Reply all;
  ask_each(stores, request, [&](typename Request::Reply&& reply) {
    add_to(all.done, std::move(reply.done));
    add_to(all.refusals, std::move(reply.refusals));
  });
  order_by(request.ids, all.done, id_of);
  order_by(request.ids, all.refusals, kRefused);
  return all;
}

}  // namespace

request::JobIds route(const Stores& stores, const request::SubmitRequest& request) {
  Destination destination(stores);
  for (const request::JobGroup& group : request.groups) destination.add(group);
  return stores.ask(destination.store(), request);
}

request::RaiseReply route(const Stores& stores, const request::RaiseRequest& request) {
  const auto ids = stores.split(request.ids), found = stores.split(request.found);
  request::RaiseReply all;
  for (std::size_t store = 0; store < stores.size(); ++store) {
    request::RaiseRequest part = request;
    part.ids = ids[store];
    part.found = found[store];
    part.selection = request.selection ? part_of(stores, *request.selection, store) : std::nullopt;
    if (part.ids.empty() && part.found.empty() && !part.selection) continue;
    request::RaiseReply reply = stores.ask(store, part);
    all.count += reply.count;
    add_to(all.done, std::move(reply.done));
    add_to(all.refusals, std::move(reply.refusals));
  }
  std::vector<JobId> order = request.ids;
  order.insert(order.end(), request.found.begin(), request.found.end());
  if (!request.selection) {
    order_by(order, all.done, kItself);
    order_by(order, all.refusals, kRefused);
  }
  return all;
}

request::KillReply route(const Stores& stores, const request::KillRequest& request) {
  const auto ids = stores.split(request.ids);
  request::KillReply all;
  for (std::size_t store = 0; store < stores.size(); ++store) {
    request::KillRequest part = request;
    part.ids = ids[store];
    part.selection = request.selection ? part_of(stores, *request.selection, store) : std::nullopt;
    if (part.ids.empty() && !part.selection) continue;
    request::KillReply reply = stores.ask(store, part);
    add_to(all.signaled, std::move(reply.signaled));
    add_to(all.refusals, std::move(reply.refusals));
  }
  if (!request.selection) {
    order_by(request.ids, all.signaled, kItself);
    order_by(request.ids, all.refusals, kRefused);
  }
  return all;
}

request::UrgencyRequest::Reply route(const Stores& stores, const request::UrgencyRequest& request) {
  return route_bulk(stores, request, [](const request::UrgencyChange& change) { return change.id; });
}

request::UpdateRequest::Reply route(const Stores& stores, const request::UpdateRequest& request) {
  const json updates = parse_json(request.updates, "updates");
  const json* queue = member_of(&updates, "attributes.system.queue");
  request::UpdateRequest own = request;
  std::vector<request::Refusal> moved;
  if (queue != nullptr && queue->is_string()) {
    const auto& name = queue->get_ref<const std::string&>();
    std::erase_if(own.ids, [&](JobId id) {
      if (stores.of(id) == stores.of_queue(name)) return false;
      moved.push_back(
          {id, Error{Kind::refused,
                     fmt::format("job {} cannot go to queue {}, which is another instance", id, quote(name)),
                     "cancel it and submit it there"}});
      return true;
    });
  }
  auto all = route_bulk(stores, own, [](const request::UpdatedJob& job) { return job.id; });
  add_to(all.refusals, std::move(moved));
  order_by(request.ids, all.refusals, kRefused);
  return all;
}

request::PurgeReply route(const Stores& stores, const request::PurgeRequest& request) {
  const auto parts = stores.split(request.ids);
  if (request.archive) {
    const auto asked =
        std::count_if(parts.begin(), parts.end(), [](const auto& ids) { return !ids.empty(); });
    if (asked != 1) {
      throw Error{Kind::refused, "an archive has the jobs of one instance",
                  "name jobs of one, or the store of one: --store"};
    }
  }
  request::PurgeReply all;
  for (std::size_t store = 0; store < stores.size(); ++store) {
    if (!request.ids.empty() && parts[store].empty()) continue;
    request::PurgeRequest part = request;
    part.ids = parts[store];
    request::PurgeReply reply = stores.ask(store, part);
    all.purged += reply.purged;
    all.remaining += reply.remaining;
    add_to(all.refusals, std::move(reply.refusals));
  }
  if (!request.ids.empty()) order_by(request.ids, all.refusals, kRefused);
  return all;
}

request::WaitableReply route(const Stores& stores, const request::WaitForWaitableRequest& request) {
  request::WaitableReply reply;
  const auto but = stores.split(request.but);
  const bool looked = stores.wait_until(request.timeout_s, [&] {
    std::vector<job::Job> taken;
    bool waits = false;
    for (std::size_t store = 0; store < stores.size() && taken.size() < request.most; ++store) {
      auto part = stores.ask(
          store, request::WaitForWaitableRequest{request.most - taken.size(), /*timeout_s=*/0, but[store]});
      if (part.jobs) {
        add_to(taken, std::move(*part.jobs));
      } else {
        waits = true;
      }
    }
    if (taken.empty() && waits) return false;
    std::stable_sort(taken.begin(), taken.end(),
                     [](const job::Job& a, const job::Job& b) { return a.t_inactive < b.t_inactive; });
    reply.jobs = std::move(taken);
    return true;
  });
  if (!looked) return {};
  return reply;
}

}  // namespace fq::door
