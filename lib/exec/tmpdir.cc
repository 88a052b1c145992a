#include "exec/tmpdir.h"

#include <cerrno>
#include <cstdlib>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

namespace fq::exec {

using nlohmann::json;

namespace {

constexpr std::string_view kPrefix = "fq-";

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string parent_of(const document::Jobspec& jobspec) {
  if (const json* environment = jobspec.environment()) {
    const auto found = environment->find("TMPDIR");
    if (found != environment->end() && found->is_string()) {
      const std::string& path = found->get_ref<const std::string&>();
      if (path.starts_with('/') && path.find_first_of(std::string_view{"\0\n", 2}) == std::string::npos &&
          is_directory(path) && ::access(path.c_str(), W_OK | X_OK) == 0) {
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

std::string make_job_tmpdir(notation::JobId id, const document::Jobspec& jobspec) {
  std::string path = fmt::format("{}/{}{}-XXXXXX", parent_of(jobspec), kPrefix, notation::to_f58_ascii(id));
  if (::mkdtemp(path.data()) == nullptr) {
    throw system_error("cannot make the job's temporary directory " + quote(path), errno);
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

void write_job_files(const document::Jobspec& jobspec, const std::string& tmpdir) {
  const json* files = jobspec.attribute("system.files");
  if (files == nullptr) return;
  const JsonAt at{*files, "jobspec: attributes.system.files"};
  for (const auto& [name, value] : at.object().value().items()) {
    const JsonAt file = at.at(name);
    if (name.empty() || name == "." || name == ".." ||
        name.find_first_of(std::string_view{"/\0", 2}) != std::string::npos) {
      throw file.fail("expected a plain file name");
    }
    const std::string path = fmt::format("{}/{}", tmpdir, name);
    const bool bare = value.is_string();
    const auto mode = bare ? std::nullopt : file.find("mode");
    write_file(path, bare ? file.as_string() : content_of(file), 0600);
    const mode_t bits = mode ? static_cast<mode_t>(mode->as_integer(0, 0177777)) & 0777U : 0600U;
    if (::chmod(path.c_str(), bits) != 0) throw system_error("cannot set the mode of " + quote(path), errno);
  }
}

}  // namespace fq::exec
