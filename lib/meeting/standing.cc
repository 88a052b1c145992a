#include "meeting/standing.h"

#include <limits>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

namespace fq::meeting {
namespace {

std::string standing_path(const std::string& path) {
  return path + "/standing";
}

}  // namespace

std::string instances_directory(const std::string& store) {
  return store + "/instances";
}

std::string standing_store(const std::string& store, std::string_view queue) {
  return fmt::format("{}/{}", instances_directory(store), queue);
}

std::optional<std::uint64_t> read_standing(const std::string& path) {
  const std::optional<std::string> text = read_file_if_exists(standing_path(path));
  if (!text) return std::nullopt;
  const nlohmann::json document = parse_json(*text, "standing");
  const JsonAt at{document, "standing"};
  return static_cast<std::uint64_t>(
      at.at("generation").as_integer(0, std::numeric_limits<std::int64_t>::max()));
}

void write_standing(const std::string& path, std::string_view queue, std::uint64_t generation) {
  const nlohmann::json document{{"queue", queue}, {"generation", generation}};
  replace_file(standing_path(path), document.dump() + "\n");
}

std::string addressed_store(const std::string& path) {
  const std::size_t name = path.rfind('/');
  const std::size_t directory = name == std::string::npos ? name : path.rfind('/', name - 1);
  if (directory == std::string::npos ||
      path.substr(0, name) != instances_directory(path.substr(0, directory)))
    return path;
  return exists(standing_path(path)) ? path.substr(0, directory) : path;
}

}  // namespace fq::meeting
