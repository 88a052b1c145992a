#include "cli/config_input.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "cli/input.h"
#include "document/config_resource.h"
#include "exec/topology.h"

namespace fq::cli {

namespace fs = std::filesystem;

std::vector<document::ConfigSource::File> read_config_files(const std::string& path) {
  std::vector<std::string> paths{path};
  if (path != "-" && fs::is_directory(path)) {
    paths.clear();
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().extension() == ".toml") paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    if (paths.empty()) throw error(Kind::not_found, "no file in {} ends with .toml", quote(path));
  }
  std::vector<document::ConfigSource::File> files;
  for (const std::string& each : paths) {
    const std::string name = each == "-" ? "standard input" : each;
    files.push_back({name, read_input(each, document::ConfigSource::kMaxBytes)});
  }
  return files;
}

std::optional<document::ResourceSet> read_config_nodes(const document::ConfigSource& source,
                                                       const std::string& path) {
  fs::path directory;
  if (path != "-") directory = fs::is_directory(path) ? fs::path(path) : fs::path(path).parent_path();
  const document::ConfigAt root(source.document(), &source);
  const auto nodes = document::configured_nodes(
      root, [&](const std::string& file) { return read_input((directory / file).string()); });
  const document::ProbeConfig probe = document::read_probe(root);
  if (nodes && probe.verified && !nodes->ranks_on(exec::host_name()).empty()) {
    document::verify_nodes(root, *nodes, exec::probe_resources(std::nullopt, probe.restricted));
  }
  return nodes;
}

}  // namespace fq::cli
