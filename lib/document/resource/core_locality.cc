#include "document/resource/core_locality.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace fq::document {

using nlohmann::json;
using notation::Idset;

namespace {
constexpr std::string_view kWriter = "fq";
}

CoreLocality CoreLocality::parse(std::string_view scheduling) {
  CoreLocality locality;
  if (scheduling.empty()) return locality;
  const json document = parse_json(scheduling, "scheduling");
  const JsonAt at{document, "scheduling"};
  const auto writer = at.find("writer");
  const auto near = at.find("near");
  if (!writer || !near || writer->as_string() != kWriter) return locality;
  for (const auto& [host, gpus] : near->object().value().items()) {
    const JsonAt of_host = near->at(host).object();
    for (const auto& [gpu, cores] : gpus.items()) {
      const auto id = parse_u64(gpu);
      if (!id || *id > std::numeric_limits<std::uint32_t>::max())
        throw of_host.fail(fmt::format("expected the number of a GPU, got {}", quote(gpu)));
      locality.hosts[host][static_cast<std::uint32_t>(*id)] = Idset::decode(of_host.at(gpu).as_string());
    }
  }
  return locality;
}

std::string CoreLocality::encode() const {
  if (hosts.empty()) return {};
  json near = json::object();
  for (const auto& [host, gpus] : hosts) {
    for (const auto& [gpu, cores] : gpus) near[host][fmt::format("{}", gpu)] = cores.encode();
  }
  return dump_json({{"writer", kWriter}, {"near", std::move(near)}});
}

void CoreLocality::check(const ResourceSet& set) const {
  for (const ResourceSet::Node& node : set.nodes()) {
    const auto known = hosts.find(node.host);
    if (known == hosts.end()) continue;
    for (const auto& [gpu, cores] : known->second) {
      if (!node.gpus.contains(gpu))
        throw error(Kind::invalid, "scheduling.near: host {} has no GPU {}", quote(node.host), gpu);
      if (!node.cores.includes(cores))
        throw error(Kind::invalid, "scheduling.near: host {} has cores {}, not {}", quote(node.host),
                    node.cores.encode(), cores.subtract(node.cores).encode());
    }
  }
}

}  // namespace fq::document
