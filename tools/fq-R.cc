// fq-R: makes, reads and combines resource sets (RFC 20), which it reads one after another from standard
// input. Needs no store.

#include <algorithm>
#include <array>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/frame/config_input.h"
#include "cli/frame/input.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/sub_command.h"
#include "cli/list/resource_text.h"
#include "commands.h"
#include "document/config/config_source.h"
#include "document/resource/constraint.h"
#include "document/resource/resource_set.h"
#include "process/machine/topology.h"

namespace {

using namespace fq;
using document::ResourceSet;
using notation::Hostlist;
using notation::Idset;

void print(const ResourceSet& set) {
  cli::print_resources("fq-R", set);
}

/// The resource sets on standard input. Throws Error{invalid} for fewer than `least`.
std::vector<ResourceSet> read_sets(std::size_t least = 1) {
  std::vector<ResourceSet> sets = ResourceSet::parse_several(cli::read_input("-"));
  if (sets.size() < least) {
    throw error(Kind::invalid, "expected at least {} R {} on standard input, got {}", least,
                least == 1 ? "object" : "objects", sets.size());
  }
  return sets;
}

using Operation = ResourceSet (ResourceSet::*)(const ResourceSet&) const;

ResourceSet combine(std::vector<ResourceSet> sets, Operation operation) {
  ResourceSet result = std::move(sets.front());
  for (std::size_t i = 1; i < sets.size(); ++i) result = (result.*operation)(sets[i]);
  return result;
}

/// Gives the property of `NAME[:RANKS]` to these ranks, or to all.
void set_property(ResourceSet& set, const std::string& text) {
  const std::size_t colon = text.find(':');
  const Idset ranks = colon == std::string::npos ? set.ranks() : Idset::decode(text.substr(colon + 1));
  set.set_property(text.substr(0, colon), ranks);
}

// ---- encode

struct EncodeOptions {
  std::optional<Idset> ranks, cores, gpus;
  std::optional<Hostlist> hosts;
  std::vector<std::string> properties;
  bool local = false;
  std::optional<std::string> xml;
};

ResourceSet make_set(const EncodeOptions& options) {
  const bool probe = options.local || options.xml;
  if (options.local && options.xml) throw Error{Kind::combination, "--local cannot be used with --xml"};
  if (probe && (options.cores || options.gpus)) {
    throw Error{Kind::combination, "--cores and --gpus cannot be used with --local or --xml"};
  }
  Idset cores = options.cores.value_or(Idset{});
  Idset gpus = options.gpus.value_or(Idset{});
  if (probe) {
    const ResourceSet found =
        options.xml ? process::read_topology(cli::read_input(*options.xml)) : process::probe_resources();
    cores = found.nodes().front().cores;
    gpus = found.nodes().front().gpus;
  } else if (!options.cores) {
    cores.insert(0);
  }
  Idset ranks{0};
  if (options.ranks) {
    ranks = *options.ranks;
  } else if (options.hosts) {
    ranks.clear();
    const std::uint64_t count = options.hosts->count();
    if (count > 0) ranks = Idset::from_range(0, static_cast<std::uint32_t>(count - 1));
  }
  Hostlist hosts;
  if (options.hosts) {
    hosts = *options.hosts;
  } else {
    const std::string host = process::host_name();
    if (ranks.count() <= ResourceSet::kMaxNodes) {
      for (std::uint64_t i = 0; i < ranks.count(); ++i) hosts.append(host);
    }
  }
  ResourceSet set = ResourceSet::uniform(ranks, hosts, cores, gpus);
  for (const std::string& property : options.properties) set_property(set, property);
  return set;
}

int encode(int argc, char** argv) {
  EncodeOptions options;
  const auto idset = [](std::optional<Idset>& target) {
    return [&target](const std::string& value) { target = Idset::decode(value); };
  };
  cli::OptionParser parser("fq-R encode", "make a resource set of nodes that are alike");
  parser.example("fq R encode -H 'node[0-3]' -c 0-15 -g 0-1 -p fast:2-3");
  parser.group("Options");
  parser.option("-r,--ranks", "IDSET", idset(options.ranks), "ranks (one for each host, else 0)");
  parser.option("-c,--cores", "IDSET", idset(options.cores), "cores of each rank (0)");
  parser.option("-g,--gpus", "IDSET", idset(options.gpus), "GPUs of each rank (none)");
  parser.option(
      "-H,--hosts", "HOSTS", [&](const std::string& value) { options.hosts = Hostlist::decode(value); },
      "the hosts, in the order of ranks (this host)");
  parser.option("-p,--property", "NAME[:RANKS]", options.properties, "give these ranks, or all, a property");
  parser.flag("-l,--local", options.local, "cores and GPUs as this machine has them");
  parser.option("-f,--xml", "FILE", options.xml, "as hwloc wrote them into FILE; -: stdin");
  static_cast<void>(parser.parse(argc, argv));
  print(make_set(options));
  return 0;
}

// ---- decode

struct DecodeOptions {
  bool summary = false, nodelist = false, ranks = false;
  std::optional<std::string> count;
  std::optional<Idset> include, exclude;
  std::optional<std::string> properties;
};

constexpr std::array<std::string_view, 3> kCountable{"node", "core", "gpu"};

/// The ranks that have all of the properties in a list with commas; `^` in front negates one.
Idset ranks_with_all(const ResourceSet& set, const std::string& properties) {
  nlohmann::json names = nlohmann::json::array();
  for (const std::string_view name : split(properties, ',')) names.push_back(name);
  const nlohmann::json constraint{{"properties", std::move(names)}};
  return document::Constraint::parse(JsonAt{constraint, ""}).match(set);
}

int decode(int argc, char** argv) {
  DecodeOptions options;
  cli::OptionParser parser("fq-R decode", "print the union of resource sets, or what it has");
  parser.example("fq resource R | fq R decode --short");
  parser.group("Which part");
  parser.option(
      "-i,--include", "RANKS", [&](const std::string& value) { options.include = Idset::decode(value); },
      "these ranks only");
  parser.option(
      "-x,--exclude", "RANKS", [&](const std::string& value) { options.exclude = Idset::decode(value); },
      "not these ranks");
  parser.option(
      "-p,--properties", "NAME,...",
      [&](const std::string& value) {
        for (const std::string_view name : split(value, ',')) {
          document::check_property_name(name.substr(name.starts_with('^') ? 1 : 0));
        }
        options.properties = value;
      },
      "ranks with all of these; ^NAME: without");
  parser.group("Output (else: R), a line each");
  parser.flag("-s,--short", options.summary, "as rank[0-1]/core[0-3]");
  parser.flag("-n,--nodelist", options.nodelist, "the hosts");
  parser.flag("-r,--ranks", options.ranks, "the ranks");
  parser.option(
      "-c,--count", "TYPE",
      [&](const std::string& value) {
        // One or several of them.
        const std::string type = value.ends_with('s') ? value.substr(0, value.size() - 1) : value;
        if (std::find(kCountable.begin(), kCountable.end(), type) == kCountable.end()) {
          throw error(Kind::invalid, "expected node, core or gpu, got {}", quote(value));
        }
        options.count = type;
      },
      "how many: node, core or gpu");
  static_cast<void>(parser.parse(argc, argv));

  ResourceSet set = combine(read_sets(), &ResourceSet::unite);
  if (options.properties) set = set.subset(ranks_with_all(set, *options.properties));
  if (options.include) set = set.subset(*options.include);
  if (options.exclude) set = set.subset(set.ranks().subtract(*options.exclude));
  std::string out;
  if (options.summary) out += set.summary() + "\n";
  if (options.nodelist) out += set.nodelist() + "\n";
  if (options.ranks) out += set.ranks().encode() + "\n";
  if (options.count) {
    out += fmt::format("{}\n", *options.count == "node"   ? set.nnodes()
                               : *options.count == "core" ? set.ncores()
                                                          : set.ngpus());
  }
  if (out.empty()) {
    print(set);
  } else {
    cli::print(out);
  }
  return 0;
}

// ---- sets

int set_operation(std::string_view name, std::string_view summary, std::size_t least, Operation operation,
                  int argc, char** argv) {
  cli::OptionParser parser(fmt::format("fq-R {}", name), summary);
  parser.example(fmt::format("cat first second | fq R {}", name));
  static_cast<void>(parser.parse(argc, argv));
  print(combine(read_sets(least), operation));
  return 0;
}

int remap(int argc, char** argv) {
  cli::OptionParser parser("fq-R remap", "number the ranks, and the cores of each, from 0");
  parser.example("fq R remap <R");
  static_cast<void>(parser.parse(argc, argv));
  print(combine(read_sets(), &ResourceSet::unite).remap());
  return 0;
}

int rerank(int argc, char** argv) {
  cli::OptionParser parser("fq-R rerank", "number the ranks by the place of their hosts in a list",
                           {"HOSTS", 1, 1});
  parser.example("fq R rerank 'node[2,0-1]' <R");
  const auto operands = parser.parse(argc, argv);
  const Hostlist hosts = Hostlist::decode(operands[0]);
  print(combine(read_sets(), &ResourceSet::unite).rerank(hosts));
  return 0;
}

int set_properties(int argc, char** argv) {
  cli::OptionParser parser("fq-R set-property", "give ranks, or all, a property",
                           {"NAME[:RANKS]...", 1, cli::Operands::kUnlimited});
  parser.example("fq R set-property fast:0-3 <R");
  const auto operands = parser.parse(argc, argv);
  ResourceSet set = combine(read_sets(), &ResourceSet::unite);
  for (const std::string& operand : operands) set_property(set, operand);
  print(set);
  return 0;
}

int verify(int argc, char** argv) {
  cli::OptionParser parser("fq-R verify", "check that a second set has what it should");
  parser.example("cat expected found | fq R verify");
  static_cast<void>(parser.parse(argc, argv));
  const std::vector<ResourceSet> sets = read_sets(2);
  if (sets.size() != 2)
    throw error(Kind::invalid, "expected 2 R objects on standard input, got {}", sets.size());
  const ResourceSet extra = sets[1].verify_against(sets[0]);
  if (!extra.empty()) cli::say("fq-R", "extra resources: " + extra.summary());
  return 0;
}

int parse_config(int argc, char** argv) {
  cli::OptionParser parser("fq-R parse-config", "print the nodes that a configuration gives",
                           {"FILE|DIR", 1, 1});
  parser.example("fq R parse-config /etc/fq | fq R decode --short");
  const std::string path = parser.parse(argc, argv).front();
  const document::ConfigSource source(cli::read_config_files(path));
  const auto nodes = cli::written_nodes(source, path);
  if (!nodes) {
    throw Error{Kind::invalid, fmt::format("the configuration {} gives no nodes", quote(path)),
                "[[resource.config]], or resource.path"};
  }
  print(*nodes);
  return 0;
}

int run(int argc, char** argv) {
  const auto set_command = [](std::string_view name, std::string_view summary, std::size_t least,
                              Operation operation) {
    return cli::SubCommand{
        name, summary, [=](int n, char** v) { return set_operation(name, summary, least, operation, n, v); }};
  };
  const std::vector<cli::SubCommand> commands{
      {"encode", "make a resource set of nodes that are alike", encode},
      {"decode", "print the union of resource sets, or what it has", decode},
      {"verify", "check that a second set has what it should", verify},
      set_command("union", "what any of the sets has", 1, &ResourceSet::unite),
      set_command("intersect", "what all of the sets have", 2, &ResourceSet::intersect),
      set_command("diff", "what the first set has and no other", 2, &ResourceSet::subtract),
      set_command("append", "the union of sets that share nothing", 1, &ResourceSet::append),
      {"remap", "number the ranks, and the cores of each, from 0", remap},
      {"rerank", "number the ranks by the place of their hosts in a list", rerank},
      {"set-property", "give ranks, or all, a property", set_properties},
      {"parse-config", "print the nodes that a configuration gives", parse_config},
  };
  return cli::run_sub_command("fq-R", "make, read and combine resource sets (RFC 20)", commands, argc, argv);
}

}  // namespace

int fq::tools::command::R(int argc, char** argv) {
  return ::run(argc, argv);
}
