// The task map: which task rank runs on which node of the job (RFC 34).
//
//   map    [[nodeid,nnodes,ppn,repeat],…]   blocks: `ppn` tasks on each of `nnodes` nodes from `nodeid` on,
//   all of
//                                           that `repeat` times; ranks count up through it. [] is unknown
//   raw    0-1,4;2-3,5                      the ranks on node 0; on node 1; …
//   pmi    (vector,(0,4,4))                 PMI-1's PMI_process_mapping (RFC 13)
//
// Every rank has one node, ranks are 0..ntasks-1; a node below the highest one may have no task.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/json.h"

namespace fq::notation {
class Idset;
}

namespace fq::document {

class Taskmap {
 public:
  struct Block {
    std::uint32_t nodeid = 0;
    std::uint32_t nnodes = 0;
    std::uint32_t ppn = 0;
    std::uint32_t repeat = 0;
    friend bool operator==(const Block&, const Block&) = default;
  };

  /// The most tasks, and the most nodes, that a map may have; bounds what its raw form takes.
  static constexpr std::uint32_t kMaxTasks = 1U << 22;

  /// The unknown mapping.
  Taskmap() = default;
  // The makers below take 1 to kMaxTasks nodes and tasks in all; throw Error{invalid} for less or more.

  /// `ppn` tasks in a row on each of `nnodes` nodes.
  [[nodiscard]] static Taskmap block(std::uint32_t nnodes, std::uint32_t ppn);
  /// `tasks[i]` tasks in a row on node i.
  [[nodiscard]] static Taskmap block(std::span<const std::uint32_t> tasks);
  /// `stride` tasks at a time on each node in turn, until node i has `tasks[i]`.
  [[nodiscard]] static Taskmap cyclic(std::span<const std::uint32_t> tasks, std::uint32_t stride = 1);
  /// Task i on node `nodes[i]`.
  [[nodiscard]] static Taskmap from_nodes(std::span<const std::uint32_t> nodes);

  /// Reads any of the forms: map, map wrapped in {"version":1,"map":…}, pmi, raw. Throws Error{invalid}
  /// `taskmap: …`.
  [[nodiscard]] static Taskmap decode(std::string_view text);
  /// Reads the JSON forms. Throws Error{invalid} `PATH: …`.
  [[nodiscard]] static Taskmap from_json(const JsonAt& at);

  [[nodiscard]] nlohmann::json to_json() const;
  /// {"version":1,"map":[…]}.
  [[nodiscard]] nlohmann::json to_wrapped_json() const;
  [[nodiscard]] std::string encode() const;
  /// The raw form; empty for the unknown mapping.
  [[nodiscard]] std::string encode_raw() const;
  /// The PMI form; `(vector)` for the unknown mapping.
  [[nodiscard]] std::string encode_pmi() const;
  /// A line `TASK: NODEID` for each task.
  [[nodiscard]] std::string encode_multiline() const;

  [[nodiscard]] bool unknown() const { return blocks_.empty(); }
  [[nodiscard]] std::span<const Block> blocks() const { return blocks_; }
  /// One more than the highest node id; 0 when unknown.
  [[nodiscard]] std::uint32_t nnodes() const { return nnodes_; }
  [[nodiscard]] std::uint32_t ntasks() const { return ntasks_; }

  /// The node of a task. Throws Error{not_found} for a task that the map does not have.
  [[nodiscard]] std::uint32_t node_of(std::uint32_t task) const;
  /// The ranks on a node, none for a node without tasks. Throws Error{not_found} for a node beyond the last.
  [[nodiscard]] notation::Idset tasks_on(std::uint32_t node) const;
  /// The number of tasks on a node. Throws like tasks_on.
  [[nodiscard]] std::uint32_t ntasks_on(std::uint32_t node) const;
  /// The number of tasks on each node, from node 0 on.
  [[nodiscard]] std::vector<std::uint32_t> tasks_per_node() const;

  /// True when both place every task on the same node, however their blocks are cut.
  [[nodiscard]] bool same_placement(const Taskmap& other) const;

 private:
  class Builder;
  explicit Taskmap(std::vector<Block> blocks);
  /// Calls visit(task, count, node) for each run of consecutive tasks on one node, in task order.
  template <typename Visit>
  void for_each_run(Visit&& visit) const;
  /// The same placement in the blocks that Builder makes of it.
  [[nodiscard]] Taskmap rebuilt() const;

  std::vector<Block> blocks_;
  std::uint32_t nnodes_ = 0;
  std::uint32_t ntasks_ = 0;
};

}  // namespace fq::document
