// Builders and renderings that the tests of lib/sched share.

#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "document/resource_set.h"
#include "notation/idset.h"
#include "sched/pool.h"
#include "sched/scheduler.h"

namespace fq::sched::test {

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
