#include "meeting/enclosure.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "meeting/task_record.h"
#include "process/tree/job_mark.h"

namespace fq::meeting {
namespace {

std::string enclosure_path(const std::string& store) {
  return store + "/enclosure";
}

std::string life_path(std::string_view tmpdir) {
  return fmt::format("{}/instance.alive", tmpdir);
}

}  // namespace

std::string instance_path(std::string_view tmpdir) {
  return fmt::format("{}/instance", tmpdir);
}

UniqueFd show_life(std::string_view tmpdir) {
  const std::string path = life_path(tmpdir);
  if (::mkfifo(path.c_str(), 0600) != 0) throw system_error("cannot make " + quote(path), errno);
  // For reading, too: so it need not wait for a reader.
  return open_file(path, O_RDWR | O_NONBLOCK);
}

UniqueFd watch_life(std::string_view tmpdir) {
  return UniqueFd{::open(life_path(tmpdir).c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)};
}

bool life_is_over(const UniqueFd& watched) {
  char byte;
  ssize_t n;
  while ((n = ::read(watched.get(), &byte, 1)) > 0) {
  }
  return n == 0;
}

std::optional<Enclosure> read_enclosure(const std::string& path) {
  std::optional<std::string> text;
  try {
    text = read_file_if_exists(enclosure_path(path));
  } catch (const Error& failure) {
    if (failure.kind() != Kind::permission) throw;
  }
  if (!text) return std::nullopt;
  const nlohmann::json document = parse_json(*text, "enclosure");
  const JsonAt at{document, "enclosure"};
  const auto gpus = at.find("gpus");
  return Enclosure{at.at("store").as_string(), notation::parse_job_id(at.at("job").as_string()),
                   at.at("mark").as_string(), gpus ? gpus->as_string() : ""};
}

void write_enclosure(const std::string& path, const Enclosure& enclosure) {
  nlohmann::json document{
      {"store", enclosure.store}, {"job", notation::to_f58_ascii(enclosure.job)}, {"mark", enclosure.mark}};
  if (!enclosure.gpus_shown.empty()) document["gpus"] = enclosure.gpus_shown;
  write_file(enclosure_path(path), document.dump() + "\n", 0600);
}

std::vector<std::string> enclosing_environment(const std::string& path) {
  const auto enclosure = read_enclosure(path);
  if (!enclosure) return {};
  std::vector<std::string> variables{fmt::format("{}={}", process::kMarkName, enclosure->mark)};
  if (!enclosure->gpus_shown.empty())
    variables.push_back(fmt::format("{}={}", kGpusShownName, enclosure->gpus_shown));
  return variables;
}

std::optional<std::string> instance_of(const JobFiles& files, notation::JobId id) {
  const TaskRecords records = decode_records(read_file_if_exists(files.tasks(id)).value_or(""));
  for (auto place = records.places.rbegin(); place != records.places.rend(); ++place) {
    if (place->kind != PlaceRecord::Kind::tmpdir) continue;
    std::string path = instance_path(place->path);
    if (exists(path)) return path;
    break;
  }
  return std::nullopt;
}

}  // namespace fq::meeting
