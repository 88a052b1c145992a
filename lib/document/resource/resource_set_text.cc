// The text forms of a resource set: R as JSON (RFC 20), read and written, and the one-line summary.
//
// Canonical R: members in the order version, execution{R_lite, starttime, expiration, nslots, nodelist,
// properties}, scheduling; those without a value left out, but for the times, which are 0.0 when unset.

#include <algorithm>
#include <map>
#include <tuple>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/resource/resource_set.h"

namespace fq::document {

using nlohmann::json;
using notation::Hostlist;
using notation::Idset;
using Node = ResourceSet::Node;

namespace {

Idset read_idset(const JsonAt& at) {
  const std::string& text = at.as_string();
  try {
    return Idset::decode(text);
  } catch (const Error& failure) {
    throw failure.within(at.path());
  }
}

/// An idset that names at least one `thing`.
Idset read_ids(const JsonAt& at, std::string_view thing) {
  Idset ids = read_idset(at);
  if (ids.empty()) throw at.fail(fmt::format("expected at least one {}", thing));
  return ids;
}

Hostlist read_nodelist(const JsonAt& nodelist) {
  nodelist.array();
  Hostlist hosts;
  for (std::size_t i = 0; i < nodelist.size(); ++i) {
    const JsonAt entry = nodelist.at(i);
    const std::string& text = entry.as_string();
    try {
      hosts.append(text);
    } catch (const Error& failure) {
      throw failure.within(entry.path());
    }
  }
  return hosts;
}

/// The nodes of R_lite by ascending rank, their hosts still unknown.
std::vector<Node> read_nodes(const JsonAt& r_lite) {
  if (r_lite.array().size() == 0) throw r_lite.fail("expected at least one entry");
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < r_lite.size(); ++i) {
    const JsonAt entry = r_lite.at(i);
    const JsonAt rank = entry.at("rank");
    const Idset ranks = read_ids(rank, "rank");
    if (ranks.count() > ResourceSet::kMaxNodes - nodes.size()) {
      throw rank.fail(fmt::format("a resource set has at most {} nodes", ResourceSet::kMaxNodes));
    }
    const JsonAt children = entry.at("children");
    children.allow_only({"core", "gpu"});
    const Idset cores = read_ids(children.at("core"), "core");
    const auto gpu = children.find("gpu");
    const Idset gpus = gpu ? read_ids(*gpu, "GPU") : Idset{};
    ranks.for_each([&](std::uint32_t id) { nodes.push_back({id, {}, cores, gpus}); });
  }
  const auto by_rank = [](const Node& a, const Node& b) { return a.rank < b.rank; };
  if (!std::is_sorted(nodes.begin(), nodes.end(), by_rank)) std::sort(nodes.begin(), nodes.end(), by_rank);
  const auto twice = std::adjacent_find(nodes.begin(), nodes.end(),
                                        [](const Node& a, const Node& b) { return a.rank == b.rank; });
  if (twice != nodes.end()) throw r_lite.fail(fmt::format("rank {} is in several entries", twice->rank));
  return nodes;
}

/// Nodes that hold the same, and their ranks.
struct Group {
  const Node* sample;
  Idset ranks;
};

/// Groups by their lowest rank.
std::vector<Group> group_nodes(const std::vector<Node>& nodes) {
  const auto flat = [](const Idset& ids) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const Idset::Range& range : ids.ranges()) pairs.emplace_back(range.first, range.last);
    return pairs;
  };
  using Key = decltype(std::pair{flat(Idset{}), flat(Idset{})});
  std::vector<Group> groups;
  std::map<Key, std::size_t> known;
  std::size_t last = 0;
  for (const Node& node : nodes) {
    // Like nodes mostly stand side by side: the map is for where they do not.
    const bool same =
        !groups.empty() && groups[last].sample->cores == node.cores && groups[last].sample->gpus == node.gpus;
    if (!same) {
      const auto [at, fresh] = known.try_emplace(Key{flat(node.cores), flat(node.gpus)}, groups.size());
      if (fresh) groups.push_back({&node, {}});
      last = at->second;
    }
    groups[last].ranks.insert(node.rank);
  }
  return groups;
}

/// The R of `json_text`, which `name` names in errors.
ResourceSet parse_named(std::string_view json_text, std::string_view name) {
  const json value = parse_json(json_text, name);
  try {
    return ResourceSet::from_json(JsonAt{value, ""});
  } catch (const Error& failure) {
    throw failure.within(name);
  }
}

}  // namespace

ResourceSet ResourceSet::parse(std::string_view json_text) {
  return parse_named(json_text, "R");
}

std::vector<ResourceSet> ResourceSet::parse_several(std::string_view json_texts) {
  const std::vector<std::string_view> pieces = split_json(json_texts);
  std::vector<ResourceSet> sets;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    sets.push_back(parse_named(pieces[i], pieces.size() == 1 ? "R" : fmt::format("R object {}", i + 1)));
  }
  return sets;
}

ResourceSet ResourceSet::from_json(const JsonAt& at) {
  const JsonAt version = at.at("version");
  if (version.as_integer() != 1) {
    throw version.fail(fmt::format("expected 1, got {}", version.as_integer()));
  }
  const JsonAt execution = at.at("execution");
  std::vector<Node> nodes = read_nodes(execution.at("R_lite"));
  const JsonAt nodelist = execution.at("nodelist");
  const Hostlist hosts = read_nodelist(nodelist);
  if (hosts.count() != nodes.size()) {
    throw nodelist.fail(
        fmt::format("expected one host for each of the {} ranks, got {}", nodes.size(), hosts.count()));
  }

  ResourceSet set;
  set.own_nodes().reserve(nodes.size());
  std::size_t place = 0;
  for (std::string& host : hosts.hosts()) {
    nodes[place].host = std::move(host);
    set.push_back(std::move(nodes[place++]));
  }
  if (const auto nslots = execution.find("nslots")) {
    set.nslots = static_cast<std::uint32_t>(nslots->as_integer(1, std::numeric_limits<std::uint32_t>::max()));
  }
  if (const auto starttime = execution.find("starttime")) set.starttime = starttime->as_number();
  if (const auto expiration = execution.find("expiration")) set.expiration = expiration->as_number();
  try {
    set.verify();
  } catch (const Error& failure) {
    throw failure.within(execution.path());
  }
  if (const auto properties = execution.find("properties")) {
    for (const auto& [name, ranks] : properties->object().value().items()) {
      try {
        set.set_property(name, read_idset(JsonAt{ranks, fmt::format("property {}", quote(name))}));
      } catch (const Error& failure) {
        throw failure.within(properties->path());
      }
    }
  }
  if (const auto scheduling = at.find("scheduling")) {
    if (const auto writer = scheduling->find("writer")) (void)writer->as_string();
    set.scheduling = dump_json(scheduling->value());
  }
  return set;
}

std::string ResourceSet::encode() const {
  std::string out = R"({"version":1,"execution":{"R_lite":[)";
  bool first = true;
  for (const Group& group : group_nodes(nodes())) {
    if (!first) out += ',';
    first = false;
    out += R"({"rank":")" + group.ranks.encode() + R"(","children":{"core":")" +
           group.sample->cores.encode() + '"';
    if (!group.sample->gpus.empty()) out += R"(,"gpu":")" + group.sample->gpus.encode() + '"';
    out += "}}";
  }
  out += R"(],"starttime":)";
  append_json(out, json(starttime));
  out += R"(,"expiration":)";
  append_json(out, json(expiration));
  if (nslots > 0) out += fmt::format(R"(,"nslots":{})", nslots);
  out += R"(,"nodelist":[)";
  if (!nodes().empty()) append_json_string(out, nodelist());
  out += ']';
  if (!properties_.empty()) {
    out += R"(,"properties":{)";
    first = true;
    for (const auto& [name, ranks] : properties_) {
      if (!first) out += ',';
      first = false;
      append_json_string(out, name);
      out += R"(:")" + ranks.encode() + '"';
    }
    out += '}';
  }
  out += '}';
  if (!scheduling.empty()) out += R"(,"scheduling":)" + scheduling;
  out += '}';
  return out;
}

std::string ResourceSet::scheduling_writer() const {
  if (scheduling.empty()) return "fluxion";
  const json value = parse_json(scheduling, "scheduling");
  const auto writer = JsonAt{value, "scheduling"}.find("writer");
  return writer ? writer->as_string() : "fluxion";
}

std::string ResourceSet::summary() const {
  std::string out;
  for (const Group& group : group_nodes(nodes())) {
    const Node& node = *group.sample;
    if (node.cores.empty() && node.gpus.empty()) continue;
    if (!out.empty()) out += ' ';
    out += "rank" + group.ranks.encode_brackets() + '/';
    if (!node.cores.empty()) out += "core" + node.cores.encode_brackets();
    if (!node.gpus.empty()) out += (node.cores.empty() ? "gpu" : ",gpu") + node.gpus.encode_brackets();
  }
  return out;
}

}  // namespace fq::document
