#include "cli/frame/config_input.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/input.h"
#include "document/config/config_access.h"
#include "document/config/config_resource.h"
#include "process/machine/topology.h"
#include "process/user/user_database.h"

namespace fq::cli {

namespace fs = std::filesystem;

namespace {

using document::ConfigAt;

// What the system said of a name: that is asked once, however many queues have it.
class AccessNames {
 public:
  explicit AccessNames(std::optional<std::string> (*why_none)(const std::string&)) : why_none_(why_none) {}

  void check(const ConfigAt& list, std::vector<Error>& unknown) { check(list, list.as_strings(), unknown); }
  void check(const ConfigAt& list, const std::vector<std::string>& names, std::vector<Error>& unknown) {
    for (const std::string& name : names) {
      const auto [why, is_new] = asked_.try_emplace(name);
      if (is_new) why->second = why_none_(name);
      if (why->second) unknown.push_back(list.fail(*why->second));
    }
  }

 private:
  std::optional<std::string> (*why_none_)(const std::string&);
  std::map<std::string, std::optional<std::string>> asked_;
};

}  // namespace

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
    // What should have come by a pipe and did not would take all queues away.
    if (each == "-" && trim(files.back().text).empty())
      throw Error{Kind::invalid, "standard input: it is empty",
                  "/dev/null is a configuration without queues"};
  }
  return files;
}

std::optional<document::ResourceSet> written_nodes(const document::ConfigSource& source,
                                                   const std::string& path) {
  fs::path directory;
  if (path != "-") directory = fs::is_directory(path) ? fs::path(path) : fs::path(path).parent_path();
  const document::ConfigAt root(source.document(), &source);
  return document::configured_nodes(
      root, [&](const std::string& file) { return read_input((directory / file).string()); });
}

std::optional<document::ResourceSet> read_config_nodes(const document::ConfigSource& source,
                                                       const std::string& path) {
  const auto nodes = written_nodes(source, path);
  const document::ConfigAt root(source.document(), &source);
  const document::ProbeConfig probe = document::read_probe(root);
  if (nodes && probe.verified && !nodes->ranks_on(process::host_name()).empty()) {
    document::verify_nodes(root, *nodes, process::probe_resources(std::nullopt, probe.restricted));
  }
  return nodes;
}

std::vector<Error> unknown_names(const document::ConfigSource& source) {
  std::vector<Error> unknown;
  AccessNames users(process::why_no_user), groups(process::why_no_group);
  const auto check_lists = [&](const ConfigAt& table) {
    if (const auto list = table.find("allow-user")) users.check(*list, unknown);
    if (const auto list = table.find("allow-group")) groups.check(*list, unknown);
  };
  const auto check = [&](const ConfigAt& table) {
    const auto policy = table.find("policy");
    const auto access = policy ? policy->find("access") : std::nullopt;
    if (access) check_lists(*access);
  };
  const ConfigAt root(source.document(), &source);
  const auto access = root.find("access");
  if (const auto operators = access ? access->find("operators") : std::nullopt) {
    std::vector<std::string> of_users, of_groups;
    for (const std::string& name : operators->as_strings()) {
      name.front() == document::kGroupMark ? of_groups.push_back(name.substr(1)) : of_users.push_back(name);
    }
    users.check(*operators, of_users, unknown);
    groups.check(*operators, of_groups, unknown);
  }
  check(root);
  if (const auto queues = root.find("queues")) {
    for (const ConfigAt& queue : queues->members()) check(queue);
  }
  if (const auto qos = root.find("qos")) {
    for (const ConfigAt& each : qos->members()) check_lists(each);
  }
  return unknown;
}

}  // namespace fq::cli
