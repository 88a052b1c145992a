// Builders and renderings that the tests of lib/sched share.

#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "document/resource/resource_set.h"
#include "notation/idset.h"
#include "sched/backfill.h"
#include "sched/factory.h"
#include "sched/pool.h"
#include "sched/scheduler.h"
#include "sched/timeline.h"

namespace fq::sched::test {

/// When passes of the tests happen, seconds since the epoch.
inline constexpr double kNow = 1000000;

struct Shape {
  std::uint32_t cores = 0;
  std::uint32_t gpus = 0;
};

inline notation::Idset ids(std::uint32_t n) {
  return n == 0 ? notation::Idset() : notation::Idset::from_range(0, n - 1);
}

/// Ranks 0, 1, … on hosts node0, node1, …, each with cores and GPUs numbered from 0.
inline std::shared_ptr<document::ResourceSet> inventory(const std::vector<Shape>& shapes) {
  auto r = std::make_shared<document::ResourceSet>();
  std::uint32_t rank = 0;
  for (const Shape& shape : shapes) {
    r->add({rank, "node" + std::to_string(rank), ids(shape.cores), ids(shape.gpus)});
    ++rank;
  }
  return r;
}

/// A set with one node as `rank:cores[:gpus]`, as in `2:0-1,3:0`, or several, separated by blanks.
inline document::ResourceSet parts(const std::string& text) {
  document::ResourceSet r;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string item = text.substr(at, end - at);
    const std::size_t colon = item.find(':');
    const std::size_t second = item.find(':', colon + 1);
    const auto rank = static_cast<std::uint32_t>(std::stoul(item.substr(0, colon)));
    const std::string cores =
        item.substr(colon + 1, second == std::string::npos ? second : second - colon - 1);
    const std::string gpus = second == std::string::npos ? "" : item.substr(second + 1);
    r.add(
        {rank, "node" + std::to_string(rank), notation::Idset::decode(cores), notation::Idset::decode(gpus)});
    at = end + 1;
  }
  return r;
}

/// Nodes with one slot each of all the cores that `slots` × `cores` name.
inline AllocRequest nodes(std::uint32_t n, std::uint32_t slots = 1, std::uint32_t cores = 1,
                          std::uint32_t gpus = 0, bool exclusive = false) {
  AllocRequest request;
  request.id = {1};
  request.counts = {n, n * slots, slots, cores, gpus, exclusive};
  return request;
}

inline AllocRequest slots(std::uint32_t n, std::uint32_t cores = 1, std::uint32_t gpus = 0) {
  AllocRequest request;
  request.id = {1};
  request.counts = {0, n, 0, cores, gpus, false};
  return request;
}

inline AllocRequest with_constraint(AllocRequest request, std::string constraint) {
  request.constraint = std::move(constraint);
  return request;
}

/// A job manager with a pool and nothing else. What runs and what is kept from the last pass is to be added
/// before the timeline is first asked for.
class FakeManager final : public JobManager {
 public:
  explicit FakeManager(const std::vector<Shape>& shapes, double now = kNow)
      : FakeManager(inventory(shapes), now) {}
  explicit FakeManager(std::shared_ptr<const document::ResourceSet> nodes, double now = kNow)
      : now_(now), pool_(std::move(nodes)) {}

  /// A job holds `r` until `end`; 0: it has no time limit.
  void runs(std::uint64_t id, const document::ResourceSet& r, double end) {
    pool_.allocate(r);
    const bool certain = end > 0;
    const double time = certain ? end : now_ + document::kEndlessHold;
    running_.emplace(time, AllocationEnd{{id}, time, certain, r});
  }
  void keeps(std::vector<Reservation> kept) { kept_ = std::move(kept); }
  void shares() { shared_ = true; }
  void closes(std::vector<Closure> closures) { closures_ = std::move(closures); }

  Pool& pool() override { return pool_; }
  Timeline& timeline() override {
    if (!timeline_) {
      const auto next = [this, at = running_.begin()]() mutable -> std::optional<AllocationEnd> {
        if (at == running_.end()) return std::nullopt;
        return (at++)->second;
      };
      timeline_.emplace(pool_, now_, next, kept_, shared_, closures_);
    }
    return *timeline_;
  }
  void for_each_job(const std::function<void(const HelloJob&)>&) const override {}
  std::string jobspec(notation::JobId) const override { return "{}"; }
  PreemptibleJobs preemptible_for(const AllocRequest& request) override {
    const auto at = preemptible.find(request.id.value);
    return at == preemptible.end() ? PreemptibleJobs{} : at->second;
  }
  std::map<std::uint64_t, PreemptibleJobs> preemptible;  ///< by request

 private:
  double now_;
  Pool pool_;
  std::multimap<double, AllocationEnd> running_;
  std::vector<Reservation> kept_;
  bool shared_ = false;
  std::vector<Closure> closures_;
  std::optional<Timeline> timeline_;
};

inline std::unique_ptr<Scheduler> scheduler(const std::string& name, const std::string& queue = {}) {
  Parameters parameters;
  parameters.name = name;
  return make_scheduler(parameters, queue);
}

inline std::string show(const Pool::Totals& t) {
  return fmt::format("{}n {}c {}g", t.nodes, t.cores, t.gpus);
}

/// The whole state of a pool in one line.
inline std::string show(const Pool& pool) {
  const std::string taken = pool.allocated().summary();
  return fmt::format("total {}, taken {}, available {}, allocated [{}], down [{}], drained [{}]",
                     show(pool.total()), show(pool.taken()), show(pool.available()), taken,
                     pool.down().encode(), pool.drained().encode());
}

}  // namespace fq::sched::test
