#include "meeting/tmpdir.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

namespace fq::meeting {

using nlohmann::json;

namespace {

constexpr std::string_view kPrefix = "fq-";

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// One that is not there is made, as Flux does; so are those above it.
bool is_there_or_made(const std::string& path) {
  std::error_code failure;
  if (!is_directory(path)) std::filesystem::create_directories(path, failure);
  return is_directory(path);
}

std::string parent_of(const document::Jobspec& jobspec) {
  if (const json* environment = jobspec.environment()) {
    const auto found = environment->find("TMPDIR");
    if (found != environment->end() && found->is_string()) {
      const std::string& path = found->get_ref<const std::string&>();
      const bool is_path =
          path.starts_with('/') && path.find_first_of(std::string_view{"\0\n", 2}) == std::string::npos;
      if (is_path && is_there_or_made(path) && ::access(path.c_str(), W_OK | X_OK) == 0) {
        return path;
      }
    }
  }
  return "/tmp";
}

std::string content_of(const JsonAt& file) {
  const JsonAt data = file.at("data");
  if (!data.value().is_string()) return dump_json(data.value());
  const auto encoding = file.find("encoding");
  const std::string name = encoding ? encoding->as_string() : "utf-8";
  if (name == "base64") return decode_base64(data.as_string());
  if (name != "utf-8") throw encoding->fail(fmt::format("expected utf-8 or base64, got {}", quote(name)));
  return data.as_string();
}

}  // namespace

std::string make_job_tmpdir(notation::JobId id, const document::Jobspec& jobspec,
                            const process::RecordPath& record, const std::string& parent) {
  const std::string stem = fmt::format("{}/{}{}-", parent.empty() ? parent_of(jobspec) : parent, kPrefix,
                                       notation::to_f58_ascii(id));
  std::string path = process::make_recorded_directory(stem, record);
  if (path.empty()) {
    throw system_error("cannot make the job's temporary directory " + quote(stem + "…"), errno);
  }
  return path;
}

void remove_job_tmpdir(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || !std::string_view{path}.substr(slash + 1).starts_with(kPrefix)) return;
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid()) return;
  try {
    remove_tree(path);
  } catch (const Error&) {
    return;  // what a job made undeletable stays
  }
}

namespace {

struct JobFile {
  std::string name;
  std::string content;
  mode_t mode;
};

JobFile read_job_file(const std::string& name, const JsonAt& file) {
  constexpr mode_t kDefaultMode = 0600;
  if (name.empty() || name == "." || name == ".." ||
      name.find_first_of(std::string_view{"/\0", 2}) != std::string::npos) {
    throw file.fail("expected a plain file name");
  }
  if (file.value().is_string()) return {name, file.as_string(), kDefaultMode};
  const auto mode = file.find("mode");
  return {name, content_of(file),
          mode ? static_cast<mode_t>(mode->as_integer(0, 0177777)) & 0777U : kDefaultMode};
}

template <typename Visit>
void for_each_job_file(const document::Jobspec& jobspec, Visit visit) {
  const json* files = jobspec.attribute("system.files");
  if (files == nullptr) return;
  const JsonAt at{*files, "jobspec: attributes.system.files"};
  for (const auto& entry : at.object().value().items()) {
    visit(read_job_file(entry.key(), at.at(entry.key())));
  }
}

}  // namespace

void write_job_files(const document::Jobspec& jobspec, const std::string& tmpdir) {
  for_each_job_file(jobspec, [&](const JobFile& file) {
    const std::string path = fmt::format("{}/{}", tmpdir, file.name);
    write_file(path, file.content, 0600);
    if (::chmod(path.c_str(), file.mode) != 0)
      throw system_error("cannot set the mode of " + quote(path), errno);
  });
}

void check_job_files(const document::Jobspec& jobspec) {
  for_each_job_file(jobspec, [](const JobFile&) {});
}

}  // namespace fq::meeting
