// A listing of the jobs of several stores: the rows of each come in its order, and are merged by what they
// have in common.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "document/resource/resource_set.h"
#include "door/add_to.h"
#include "door/route.h"

namespace fq::door {
namespace {

using notation::JobId;
using request::JobListHead;
using request::JobListRequest;
using request::JobListRows;
using request::ListedJob;

// Where a job stands in listings (manager/look/select.h): smaller is earlier. Ids settle what is equal.
std::tuple<int, double, std::uint64_t> place_of(const job::Job& job) {
  const auto at = [&](int part, double order) { return std::tuple{part, order, job.id.value}; };
  const auto latest_first = [&](int part, double time) { return std::tuple{part, -time, ~job.id.value}; };
  switch (job.state) {
    case job::State::sched:
      return at(0, -static_cast<double>(job.priority));
    case job::State::run:
      return latest_first(2, job.t_run);
    case job::State::cleanup:
      return latest_first(3, job.t_cleanup);
    case job::State::inactive:
      return latest_first(4, job.t_inactive);
    default:
      return at(1, 0);
  }
}

// What one store says.
struct Part {
  JobListHead head;
  std::vector<ListedJob> jobs;
};

Part ask(const Stores& stores, std::size_t store, const JobListRequest& request, bool rows) {
  Part part;
  JobListRows to;
  to.begin = [&](JobListHead&& head) { part = {std::move(head), {}}; };
  if (rows) {
    to.row = [&](ListedJob&& job) {
      part.jobs.push_back(std::move(job));
      return true;
    };
  }
  stores.ask(store, request, to);
  return part;
}

void add_head(JobListHead& head, JobListHead&& part) {
  add_to(head.missing, std::move(part.missing));
  for (const auto& [status, count] : part.counts) head.counts[status] += count;
  head.purged += part.purged;
  add_to(head.elsewhere, std::move(part.elsewhere));
  head.ended += part.ended;
}

std::uint64_t active(std::map<std::string, std::uint64_t> counts) {
  return counts["D"] + counts["P"] + counts["S"] + counts["R"] + counts["C"];
}

class Listing {
 public:
  Listing(const Stores& stores, const JobListRequest& request, const JobListRows& rows)
      : stores_(stores), request_(request), rows_(rows) {}

  void run() {
    require_hosts();
    for (std::size_t store = 1; store < stores_.size(); ++store) add_instance(store);
    const bool named = !request_.ids.empty();
    JobListRequest own = request_;
    own.ids = stores_.split(request_.ids).front();
    if (request_.filter.queues) own.filter.queues = queues_of_own();
    wants_own_ = named ? !own.ids.empty() : !own.filter.queues || !own.filter.queues->empty();
    // Where its jobs are not wanted, its time and what is without a queue are.
    if (!wants_own_ && own.filter.queues) {
      own.filter.queues.reset();
      own.filter.default_queue = false;
      own.counts = false;
      own.left_out = false;
    }
    if (named) {
      run_named(own);
    } else {
      run_merged(own);
    }
  }

 private:
  // Nodes are everybody's that are one's.
  void require_hosts() {
    const notation::Hostlist& hosts = request_.filter.hosts;
    if (request_.known_hosts == request::KnownHosts::any || hosts.empty()) return;
    const document::ResourceSet inventory = route(stores_, request::ResourceUseRequest{}).inventory;
    std::string unknown;
    for (const std::string& name : hosts.hosts()) {
      if (inventory.ranks_on(name).empty()) {
        if (unknown.empty()) unknown = name;
      } else if (request_.known_hosts == request::KnownHosts::one) {
        unknown.clear();
        break;
      }
    }
    if (!unknown.empty()) {
      throw Error{Kind::not_found, fmt::format("there is no node {}", quote(unknown)),
                  "the nodes are " + inventory.nodelist()};
    }
    request_.known_hosts = request::KnownHosts::any;
  }

  void add_instance(std::size_t store) {
    JobListRequest part = request_;
    part.ids = stores_.split(request_.ids)[store];
    bool rows = rows_.row && (request_.ids.empty() || !part.ids.empty());
    if (part.filter.queues) {
      std::erase_if(*part.filter.queues,
                    [&](const std::string& queue) { return stores_.of_queue(queue) != store; });
      if (part.filter.queues->empty()) {
        if (part.ids.empty()) return;
        part.filter.queues.reset();
        part.counts = false;
      }
    } else if (request_.filter.default_queue) {
      // It is another queue: of its jobs it is only said that they are there.
      part.filter.default_queue = false;
      part.left_out = false;
      part.counts = true;
      rows = rows && !part.ids.empty();
    }
    Part said = ask(stores_, store, part, rows);
    if (request_.left_out && request_.filter.default_queue && !request_.filter.queues) {
      if (const std::uint64_t count = active(said.head.counts); count > 0)
        said.head.elsewhere.emplace_back(stores_.instance(store).of.queue, count);
    }
    if (!request_.counts) said.head.counts.clear();
    add_head(added_, std::move(said.head));
    parts_.push_back(std::move(said.jobs));
  }

  // Those of no instance, and those that have jobs here of the time before they were one.
  [[nodiscard]] std::set<std::string> queues_of_own() const {
    std::set<std::string> own;
    for (const std::string& queue : *request_.filter.queues) {
      if (stores_.of_queue(queue) == 0 || has_jobs_of(queue)) own.insert(queue);
    }
    return own;
  }
  [[nodiscard]] bool has_jobs_of(const std::string& queue) const {
    JobListRequest look;
    look.filter.queues = std::set{queue};
    look.counts = true;
    try {
      static_cast<void>(ask(stores_, 0, look, /*rows=*/false));
      return true;
    } catch (const Error& failure) {
      if (failure.kind() != Kind::not_found) throw;
      return false;
    }
  }

  void begin(JobListHead&& head) {
    JobListHead all = std::move(head);
    JobListHead added = added_;
    add_head(all, std::move(added));
    std::sort(all.elsewhere.begin(), all.elsewhere.end());
    rows_.begin(std::move(all));
  }

  void run_named(const JobListRequest& own) {
    Part part = ask(stores_, 0, own, rows_.row && wants_own_);
    std::map<JobId, ListedJob> found;
    parts_.push_back(std::move(part.jobs));
    for (std::vector<ListedJob>& jobs : parts_) {
      for (ListedJob& job : jobs) found.emplace(job.job.id, std::move(job));
    }
    begin(std::move(part.head));
    if (!rows_.row) return;
    do {
      for (const JobId id : request_.ids) {
        const auto at = found.find(id);
        if (at != found.end() && !rows_.row(ListedJob{at->second})) break;
      }
    } while (rows_.again && rows_.again());
  }

  void restart() {
    next_.assign(parts_.size(), 0);
    left_ = request_.filter.limit;
    stopped_ = left_ == 0;
  }

  void show(ListedJob&& job) {
    if (!stopped_) stopped_ = !rows_.row(std::move(job)) || --left_ == 0;
  }

  // Those of instances that come before `job`, or all that are left.
  void show_before(const ListedJob* job) {
    while (!stopped_) {
      std::optional<std::size_t> first;
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (next_[i] == parts_[i].size()) continue;
        if (!first || place_of(parts_[i][next_[i]].job) < place_of(parts_[*first][next_[*first]].job))
          first = i;
      }
      if (!first) return;
      const ListedJob& next = parts_[*first][next_[*first]];
      if (job != nullptr && place_of(job->job) < place_of(next.job)) return;
      ++next_[*first];
      show(ListedJob{next});
    }
  }

  void run_merged(const JobListRequest& own) {
    JobListRows to;
    restart();
    to.begin = [&](JobListHead&& head) {
      restart();
      begin(std::move(head));
    };
    if (rows_.row && wants_own_) {
      to.row = [&](ListedJob&& job) {
        show_before(&job);
        show(std::move(job));
        return !stopped_;
      };
      to.again = [&] {
        show_before(nullptr);
        if (!rows_.again || !rows_.again()) return false;
        restart();
        return true;
      };
    }
    stores_.ask(0, own, to);
    if (!rows_.row || wants_own_) return;
    do {
      restart();
      show_before(nullptr);
    } while (rows_.again && rows_.again());
  }

  const Stores& stores_;
  JobListRequest request_;
  const JobListRows& rows_;
  bool wants_own_ = true;
  JobListHead added_;                          // what instances add to the head
  std::vector<std::vector<ListedJob>> parts_;  // their rows
  std::vector<std::size_t> next_;              // of each the next to show
  std::size_t left_ = 0;
  bool stopped_ = false;
};

}  // namespace

void route(const Stores& stores, const request::JobListRequest& request, const request::JobListRows& rows) {
  Listing(stores, request, rows).run();
}

}  // namespace fq::door
