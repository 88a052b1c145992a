// Taskmap::decode over any bytes: it refuses them, or every form of what it read gives the same placement.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "document/jobspec/taskmap.h"
#include "fuzz/support.h"
#include "notation/idset.h"

using fq::document::Taskmap;
using fq::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto map = fq::fuzz::read_or_refuse([&] { return Taskmap::decode(text); });
  if (!map) return 0;
  require(Taskmap::decode(map->encode()).same_placement(*map));
  if (map->unknown() || map->ntasks() > 10'000 || map->nnodes() > 10'000) return 0;
  require(Taskmap::decode(map->encode_raw()).same_placement(*map));
  require(Taskmap::decode(map->encode_pmi()).same_placement(*map));
  for (std::uint32_t task = 0; task < map->ntasks(); task += 1 + map->ntasks() / 16) {
    require(map->tasks_on(map->node_of(task)).contains(task));
  }
  return 0;
}
