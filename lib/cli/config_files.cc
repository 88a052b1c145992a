#include "cli/config_files.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/input.h"

namespace fq::cli {

namespace fs = std::filesystem;

document::ConfigSource read_config(const std::string& path) {
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
  return document::ConfigSource(files);
}

}  // namespace fq::cli
