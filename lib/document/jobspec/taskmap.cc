#include "document/jobspec/taskmap.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "notation/idset.h"

namespace fq::document {

using nlohmann::json;
using notation::Idset;

namespace {

std::uint64_t tasks_in(const Taskmap::Block& block) {
  return std::uint64_t{block.nnodes} * block.ppn * block.repeat;
}

std::string too_many() {
  return fmt::format("expected at most {} tasks and nodes", Taskmap::kMaxTasks);
}

/// The sum of `counts`, or Error{invalid} when it or their number is more than a map may have.
std::uint32_t checked_sum(std::span<const std::uint32_t> counts) {
  std::uint64_t sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  if (sum > Taskmap::kMaxTasks || counts.size() > Taskmap::kMaxTasks)
    throw Error{Kind::invalid, "taskmap: " + too_many()};
  if (sum == 0) throw Error{Kind::invalid, "taskmap: expected at least one task"};
  return static_cast<std::uint32_t>(sum);
}

}  // namespace

/// Packs runs of tasks, given in task order, into as few blocks as RFC 34's examples do: neighbouring nodes
/// with as many tasks each share a block, and blocks that follow themselves are repeated.
class Taskmap::Builder {
 public:
  void add_run(std::uint32_t node, std::uint32_t count) {
    if (count == 0) return;
    if (run_count_ > 0 && run_node_ == node) {
      run_count_ += count;
      return;
    }
    end_run();
    run_node_ = node;
    run_count_ = count;
  }

  [[nodiscard]] Taskmap finish() && {
    end_run();
    end_block();
    return Taskmap{std::move(blocks_)};
  }

 private:
  void end_run() {
    if (run_count_ == 0) return;
    if (block_.nnodes > 0 && block_.ppn == run_count_ && block_.nodeid + block_.nnodes == run_node_) {
      ++block_.nnodes;
    } else {
      end_block();
      block_ = Block{run_node_, 1, run_count_, 1};
    }
    run_count_ = 0;
  }

  void end_block() {
    if (block_.nnodes == 0) return;
    if (!blocks_.empty()) {
      Block& last = blocks_.back();
      if (last.nodeid == block_.nodeid && last.nnodes == block_.nnodes && last.ppn == block_.ppn) {
        ++last.repeat;
        return;
      }
    }
    blocks_.push_back(block_);
  }

  std::vector<Block> blocks_;
  Block block_;
  std::uint32_t run_node_ = 0;
  std::uint32_t run_count_ = 0;
};

Taskmap::Taskmap(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
  for (const Block& block : blocks_) {
    nnodes_ = std::max(nnodes_, block.nodeid + block.nnodes);
    ntasks_ += static_cast<std::uint32_t>(tasks_in(block));
  }
}

template <typename Visit>
void Taskmap::for_each_run(Visit&& visit) const {
  std::uint32_t task = 0;
  for (const Block& block : blocks_) {
    for (std::uint32_t round = 0; round < block.repeat; ++round) {
      for (std::uint32_t i = 0; i < block.nnodes; ++i, task += block.ppn) {
        visit(task, block.ppn, block.nodeid + i);
      }
    }
  }
}

Taskmap Taskmap::rebuilt() const {
  Builder builder;
  for_each_run([&](std::uint32_t, std::uint32_t count, std::uint32_t node) { builder.add_run(node, count); });
  return std::move(builder).finish();
}

Taskmap Taskmap::block(std::uint32_t nnodes, std::uint32_t ppn) {
  const Block block{0, nnodes, ppn, 1};
  if (tasks_in(block) == 0) throw Error{Kind::invalid, "taskmap: expected at least one task"};
  if (tasks_in(block) > kMaxTasks) throw Error{Kind::invalid, "taskmap: " + too_many()};
  return Taskmap{{block}};
}

Taskmap Taskmap::block(std::span<const std::uint32_t> tasks) {
  static_cast<void>(checked_sum(tasks));
  Builder builder;
  for (std::uint32_t node = 0; node < tasks.size(); ++node) builder.add_run(node, tasks[node]);
  return std::move(builder).finish();
}

Taskmap Taskmap::cyclic(std::span<const std::uint32_t> tasks, std::uint32_t stride) {
  static_cast<void>(checked_sum(tasks));
  if (stride == 0) throw Error{Kind::invalid, "taskmap: expected a stride of 1 or more, got 0"};
  struct OpenNode {
    std::uint32_t id;
    std::uint32_t left;
  };
  std::vector<OpenNode> open;
  for (std::uint32_t node = 0; node < tasks.size(); ++node) {
    if (tasks[node] > 0) open.push_back({node, tasks[node]});
  }
  Builder builder;
  while (!open.empty()) {
    for (OpenNode& node : open) {
      const std::uint32_t count = std::min(stride, node.left);
      builder.add_run(node.id, count);
      node.left -= count;
    }
    std::erase_if(open, [](const OpenNode& node) { return node.left == 0; });
  }
  return std::move(builder).finish();
}

Taskmap Taskmap::from_nodes(std::span<const std::uint32_t> nodes) {
  if (nodes.empty()) throw Error{Kind::invalid, "taskmap: expected at least one task"};
  if (nodes.size() > kMaxTasks || *std::max_element(nodes.begin(), nodes.end()) >= kMaxTasks) {
    throw Error{Kind::invalid, "taskmap: " + too_many()};
  }
  Builder builder;
  for (const std::uint32_t node : nodes) builder.add_run(node, 1);
  return std::move(builder).finish();
}

namespace {

/// Adds `block` to `blocks`, whose tasks so far are `ntasks`. False if the map would go beyond its bounds.
[[nodiscard]] bool add_block(std::vector<Taskmap::Block>& blocks, std::uint64_t& ntasks,
                             const Taskmap::Block& block) {
  if (std::uint64_t{block.nnodes} * block.ppn > Taskmap::kMaxTasks) return false;  // so that tasks_in fits
  if (ntasks + tasks_in(block) > Taskmap::kMaxTasks || block.nodeid + block.nnodes > Taskmap::kMaxTasks) {
    return false;
  }
  ntasks += tasks_in(block);
  blocks.push_back(block);
  return true;
}

std::vector<Taskmap::Block> read_blocks(const JsonAt& map) {
  std::vector<Taskmap::Block> blocks;
  std::uint64_t ntasks = 0;
  for (std::size_t i = 0; i < map.array().size(); ++i) {
    const JsonAt entry = map.at(i);
    if (entry.array().size() != 4) {
      throw entry.fail(fmt::format("expected [nodeid, nnodes, ppn, repeat], got {} elements", entry.size()));
    }
    const auto number = [&](std::size_t index, std::int64_t low) {
      return static_cast<std::uint32_t>(entry.at(index).as_integer(low, Taskmap::kMaxTasks));
    };
    const Taskmap::Block block{number(0, 0), number(1, 1), number(2, 1), number(3, 1)};
    if (!add_block(blocks, ntasks, block)) throw entry.fail(too_many());
  }
  return blocks;
}

/// Reads `(vector,(0,4,4),(4,2,1))`.
std::vector<Taskmap::Block> read_pmi(std::string_view text) {
  std::vector<Taskmap::Block> blocks;
  std::uint64_t ntasks = 0;
  const std::string_view whole = text;
  const auto fail = [&](std::string_view expected) {
    return error(Kind::invalid, "character {}: expected {}", whole.size() - text.size() + 1, expected);
  };
  const auto take = [&](std::string_view literal) {
    if (!text.starts_with(literal)) throw fail(quote(literal));
    text.remove_prefix(literal.size());
  };
  const auto number = [&](std::uint64_t low) {
    const std::size_t width = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto value = parse_u64(text.substr(0, width));
    if (!value || *value < low || *value > Taskmap::kMaxTasks) {
      throw fail(fmt::format("a number from {} to {}", low, Taskmap::kMaxTasks));
    }
    text.remove_prefix(width);
    return static_cast<std::uint32_t>(*value);
  };
  take("(vector");
  while (!text.starts_with(')')) {
    take(",(");
    Taskmap::Block block{.nodeid = number(0), .nnodes = 0, .ppn = 0, .repeat = 1};
    take(",");
    block.nnodes = number(1);
    take(",");
    block.ppn = number(1);
    take(")");
    if (!add_block(blocks, ntasks, block)) throw Error{Kind::invalid, too_many()};
  }
  take(")");
  if (!text.empty()) throw fail("the end");
  return blocks;
}

/// Reads `0-1,4;2-3,5` into the node of each task.
std::vector<std::uint32_t> read_raw(std::string_view text) {
  std::vector<Idset> tasks;
  std::uint64_t ntasks = 0;
  for (const std::string_view piece : split(text, ';')) {
    tasks.push_back(Idset::decode(piece));
    ntasks += tasks.back().count();
    if (ntasks > Taskmap::kMaxTasks || tasks.size() > Taskmap::kMaxTasks)
      throw Error{Kind::invalid, too_many()};
  }
  if (tasks.back().empty()) throw Error{Kind::invalid, "the last node has no tasks"};

  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> nodes(ntasks, kNone);
  for (std::uint32_t node = 0; node < tasks.size(); ++node) {
    tasks[node].for_each([&](std::uint32_t task) {
      if (task >= ntasks) {
        throw error(Kind::invalid, "task {} is one of only {}: some task below it has no node", task, ntasks);
      }
      if (nodes[task] != kNone) {
        throw error(Kind::invalid, "task {} is on node {} and on node {}", task, nodes[task], node);
      }
      nodes[task] = node;
    });
  }
  return nodes;
}

}  // namespace

Taskmap Taskmap::decode(std::string_view text) {
  text = trim(text);
  try {
    if (text.empty()) throw Error{Kind::invalid, "expected a task map, got an empty text"};
    if (text.starts_with('(')) return Taskmap{read_pmi(text)};
    if (!text.starts_with('[') && !text.starts_with('{')) return from_nodes(read_raw(text));
  } catch (const Error& failure) {
    throw failure.within("taskmap");
  }
  const json document = parse_json(text, "taskmap");
  try {
    return from_json(JsonAt{document, ""});
  } catch (const Error& failure) {
    throw failure.within("taskmap");
  }
}

Taskmap Taskmap::from_json(const JsonAt& at) {
  if (at.value().is_array()) return Taskmap{read_blocks(at)};
  if (!at.value().is_object()) {
    throw at.fail(fmt::format("expected an array of blocks, got {}", json_type_name(at.value())));
  }
  const JsonAt version = at.at("version");
  if (version.as_integer() != 1) throw version.fail(fmt::format("expected 1, got {}", version.as_integer()));
  return Taskmap{read_blocks(at.at("map"))};
}

nlohmann::json Taskmap::to_json() const {
  json map = json::array();
  for (const Block& block : blocks_) map.push_back({block.nodeid, block.nnodes, block.ppn, block.repeat});
  return map;
}

nlohmann::json Taskmap::to_wrapped_json() const {
  return json{{"version", 1}, {"map", to_json()}};
}

std::string Taskmap::encode() const {
  return dump_json(to_json());
}

std::string Taskmap::encode_raw() const {
  std::vector<Idset> tasks(nnodes_);
  for_each_run([&](std::uint32_t task, std::uint32_t count, std::uint32_t node) {
    tasks[node].insert(task, task + count - 1);
  });
  std::string out;
  for (const Idset& ids : tasks) {
    if (&ids != &tasks.front()) out += ';';
    out += ids.encode();
  }
  return out;
}

std::string Taskmap::encode_pmi() const {
  std::string out = "(vector";
  for (const Block& block : blocks_) {
    const std::string text = fmt::format(",({},{},{})", block.nodeid, block.nnodes, block.ppn);
    for (std::uint32_t round = 0; round < block.repeat; ++round) out += text;
  }
  return out += ')';
}

std::string Taskmap::encode_multiline() const {
  std::string out;
  for_each_run([&](std::uint32_t task, std::uint32_t count, std::uint32_t node) {
    for (std::uint32_t i = 0; i < count; ++i) out += fmt::format("{}: {}\n", task + i, node);
  });
  return out;
}

std::uint32_t Taskmap::node_of(std::uint32_t task) const {
  if (task >= ntasks_) throw error(Kind::not_found, "there is no task {}, the job has {}", task, ntasks_);
  std::uint32_t left = task;
  for (const Block& block : blocks_) {
    const auto size = static_cast<std::uint32_t>(tasks_in(block));
    if (left < size) return block.nodeid + left % (block.nnodes * block.ppn) / block.ppn;
    left -= size;
  }
  throw Error{Kind::internal, "the blocks of a task map do not add up"};
}

notation::Idset Taskmap::tasks_on(std::uint32_t node) const {
  static_cast<void>(ntasks_on(node));
  Idset tasks;
  std::uint32_t start = 0;
  for (const Block& block : blocks_) {
    if (node >= block.nodeid && node - block.nodeid < block.nnodes) {
      std::uint32_t first = start + (node - block.nodeid) * block.ppn;
      for (std::uint32_t round = 0; round < block.repeat; ++round, first += block.nnodes * block.ppn) {
        tasks.insert(first, first + block.ppn - 1);
      }
    }
    start += static_cast<std::uint32_t>(tasks_in(block));
  }
  return tasks;
}

std::uint32_t Taskmap::ntasks_on(std::uint32_t node) const {
  if (node >= nnodes_) throw error(Kind::not_found, "there is no node {}, the job has {}", node, nnodes_);
  std::uint32_t count = 0;
  for (const Block& block : blocks_) {
    if (node >= block.nodeid && node - block.nodeid < block.nnodes) count += block.ppn * block.repeat;
  }
  return count;
}

std::vector<std::uint32_t> Taskmap::tasks_per_node() const {
  std::vector<std::uint32_t> counts(nnodes_);
  for (const Block& block : blocks_) {
    for (std::uint32_t i = 0; i < block.nnodes; ++i) counts[block.nodeid + i] += block.ppn * block.repeat;
  }
  return counts;
}

bool Taskmap::same_placement(const Taskmap& other) const {
  return ntasks_ == other.ntasks_ && rebuilt().blocks_ == other.rebuilt().blocks_;
}

}  // namespace fq::document
