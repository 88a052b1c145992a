#include "sched/request_text.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "document/resource/constraint_syntax.h"

namespace fq::sched {

using document::ResourceCounts;

namespace {

/// Constraints longer than this are cut in notes, which go into event logs and one-line listings.
constexpr std::size_t kMaxConstraintText = 200;

/// `8 cores`, `8 cores and 1 GPU`; with `kind` "free": `8 free cores and 1 free GPU`.
std::string units(std::uint64_t cores, std::uint64_t gpus, std::string_view kind = {}) {
  const std::string prefix = kind.empty() ? std::string() : std::string(kind) + " ";
  std::string text = counted(cores, prefix + "core");
  if (gpus > 0) text += " and " + counted(gpus, prefix + "GPU");
  return text;
}

std::string node_units(const ResourceCounts& want, std::string_view kind = {}) {
  return units(std::uint64_t{want.slots_per_node} * want.cores_per_slot,
               std::uint64_t{want.slots_per_node} * want.gpus_per_slot, kind) +
         (want.nnodes > 1 ? " each" : "");
}

std::string slot_text(const ResourceCounts& want) {
  if (want.cores_per_slot == 1 && want.gpus_per_slot == 0) return counted(want.nslots, "core");
  return counted(want.nslots, "slot") + " of " + units(want.cores_per_slot, want.gpus_per_slot);
}

std::string nodes_text(const ResourceCounts& want) {
  return counted(want.nnodes, want.exclusive ? "exclusive node" : "node");
}

/// `no node has GPUs`, `no node has more than 1 GPU`.
std::string most_gpus_text(std::uint32_t most) {
  return most == 0 ? "no node has GPUs" : "no node has more than " + counted(most, "GPU");
}

}  // namespace

std::string request_text(const ResourceCounts& want) {
  if (want.nnodes == 0) return slot_text(want) + (want.exclusive ? " on exclusive nodes" : "");
  return nodes_text(want) + " with " + node_units(want);
}

std::string no_match_text(std::string_view constraint) {
  std::string shown = document::format_constraint_syntax(parse_json(constraint, "constraint"))
                          .value_or(std::string{constraint});
  if (shown.size() > kMaxConstraintText) {
    shown.resize(kMaxConstraintText);
    while (!is_valid_utf8(shown)) shown.pop_back();
    shown += "...";
  }
  return "unsatisfiable request: no node matches the constraint " + quote(shown);
}

std::string infeasible_text(const ResourceCounts& want, const SupplyTotals& all, std::uint64_t held,
                            bool constrained) {
  // `3 match`, or `the inventory has 3`.
  const auto there_are = [&](std::uint64_t n) {
    return constrained ? fmt::format("{} match{}", n, n == 1 ? "es" : "")
                       : fmt::format("the inventory has {}", n);
  };
  const std::string_view largest = constrained ? "largest node that matches" : "largest node";
  std::string said;
  if (all.nodes == 0) {
    said = request_text(want) + " requested, the inventory has no nodes";
  } else if (want.nnodes > all.nodes) {
    said = fmt::format("{} requested, {}", nodes_text(want), there_are(all.nodes));
  } else if (want.nnodes > 0) {
    const std::uint64_t cores = std::uint64_t{want.slots_per_node} * want.cores_per_slot;
    const std::uint64_t gpus = std::uint64_t{want.slots_per_node} * want.gpus_per_slot;
    const std::string asked = request_text(want);
    if (cores > all.most_cores) {
      said = fmt::format("{} requested, the {} has {}", asked, largest, counted(all.most_cores, "core"));
    } else if (gpus > all.most_gpus) {
      said = fmt::format("{} requested, {}", asked, most_gpus_text(all.most_gpus));
    } else {
      said = fmt::format("{} requested, {}", asked, there_are(held));
    }
  } else if (want.cores_per_slot > all.most_cores) {
    said = fmt::format("{} on one node requested, the {} has {}", counted(want.cores_per_slot, "core"),
                       largest, counted(all.most_cores, "core"));
  } else if (want.gpus_per_slot > all.most_gpus) {
    said = fmt::format("{} on one node requested, {}", counted(want.gpus_per_slot, "GPU"),
                       most_gpus_text(all.most_gpus));
  } else if (held == 0) {
    said = fmt::format("{} on one node requested, no node has both",
                       units(want.cores_per_slot, want.gpus_per_slot));
  } else {
    said = fmt::format("{} requested, {}", request_text(want), there_are(held));
  }
  return "unsatisfiable request: " + said;
}

std::string not_up_text(const ResourceCounts& want, std::uint64_t held, std::uint64_t possible) {
  return fmt::format("waiting for nodes that are down or drained: {} requested, {} of {} up",
                     request_text(want), held, possible);
}

std::string not_free_text(const ResourceCounts& want, const SupplyTotals& free, std::uint64_t held) {
  if (want.nnodes > 0 && want.exclusive) {
    return fmt::format("waiting for {} ({} free)", counted(want.nnodes, "free node"), held);
  }
  if (want.nnodes > 0) {
    return fmt::format("waiting for {} with {} ({} now)", counted(want.nnodes, "node"),
                       node_units(want, "free"), held);
  }
  if (want.exclusive)
    return fmt::format("waiting for free nodes: {} requested, {} fit", slot_text(want), held);
  std::string said;
  const auto short_of = [&](std::uint64_t wanted, std::string_view word, std::uint64_t there) {
    if (wanted <= there) return;
    said += fmt::format("{}{} requested, {} free", said.empty() ? "" : "; ", counted(wanted, word), there);
  };
  short_of(std::uint64_t{want.nslots} * want.cores_per_slot, "core", free.cores);
  short_of(std::uint64_t{want.nslots} * want.gpus_per_slot, "GPU", free.gpus);
  if (!said.empty()) return said;
  return fmt::format("{} requested, {} fit in what is free", slot_text(want), held);
}

}  // namespace fq::sched
