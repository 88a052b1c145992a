#include "cli/frame/pretended_nodes.h"

#include "base/error.h"
#include "base/text.h"
#include "document/resource/inventory_check.h"
#include "process/machine/topology.h"

namespace fq::cli {

using document::ResourceSet;

ResourceSet pretended_nodes(std::string_view text, std::string_view option) {
  constexpr std::string_view kForm = "N:CORES or N:CORES:GPUS";
  const auto parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) {
    throw error(Kind::usage, "{}: expected {}, got {}", option, kForm, quote(text));
  }
  const auto part = [&](std::size_t i) {
    if (i >= parts.size()) return std::uint32_t{0};
    const auto value = parse_u64(parts[i]);
    if (!value) throw error(Kind::usage, "{}: expected {}, got {}", option, kForm, quote(text));
    if (*value > ResourceSet::kMaxNodes) {
      throw error(Kind::usage, "{}: at most {} of each, got {}", option, ResourceSet::kMaxNodes, quote(text));
    }
    return static_cast<std::uint32_t>(*value);
  };
  if (part(0) == 0 || part(1) == 0) {
    throw error(Kind::usage, "{}: needs at least one node with one core, got {}", option, quote(text));
  }
  const auto nodes = process::make_test_nodes(part(0), part(1), part(2));
  try {
    document::check_inventory(nodes);
  } catch (const Error& failure) {
    throw error(Kind::usage, "{}: {}", option, failure.what());
  }
  return nodes;
}

}  // namespace fq::cli
