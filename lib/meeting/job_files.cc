#include "meeting/job_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/trash.h"

namespace fq::meeting {

using notation::JobId;

JobFiles::JobFiles(const std::string& store_dir) {
  std::filesystem::path path = std::filesystem::absolute(store_dir).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  store_ = path.string();
}

std::string JobFiles::identity() const {
  struct stat info {};
  if (::stat(store_.c_str(), &info) != 0) throw system_error("cannot look at " + quote(store_), errno);
  return fmt::format("{:x}-{:x}", info.st_dev, info.st_ino);
}

std::string JobFiles::alive(JobId id) const {
  return alive_dir() + "/" + notation::to_dothex(id);
}
std::string JobFiles::guest(JobId id) const {
  return guest_dir() + "/" + notation::to_dothex(id);
}
std::string JobFiles::data(JobId id) const {
  return data_dir() + "/" + notation::to_dothex(id);
}
std::string JobFiles::inbox(JobId id) const {
  return inbox_dir() + "/" + notation::to_dothex(id);
}

void JobFiles::create_directories() const {
  for (const std::string& path : {alive_dir(), guest_dir(), data_dir(), wake_dir(), inbox_dir()}) {
    make_directory(path);
  }
}

void JobFiles::create_guest(JobId id) const {
  make_directory(guest_dir());
  make_directory(guest(id));
}

void JobFiles::remove_guest(JobId id) const {
  if (!move_to_trash(guest(id), trash_dir())) remove_tree(guest(id));
}
void JobFiles::remove_data(JobId id) const {
  remove_tree(data(id));
}

namespace {

// The jobs whose ids in dothex are names in `directory`, ascending. Other names are passed over.
std::vector<JobId> ids_in(const std::string& directory) {
  std::vector<JobId> ids;
  for (const std::string& name : names_in(directory).value_or(std::vector<std::string>{})) {
    try {
      const JobId id = notation::parse_job_id(name);
      if (notation::to_dothex(id) == name) ids.push_back(id);
    } catch (const Error&) {
      continue;
    }
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

std::vector<JobId> JobFiles::alive_ids() const {
  return ids_in(alive_dir());
}
std::vector<JobId> JobFiles::guest_ids() const {
  return ids_in(guest_dir());
}
std::vector<JobId> JobFiles::data_ids() const {
  return ids_in(data_dir());
}
std::vector<JobId> JobFiles::inbox_ids() const {
  return ids_in(inbox_dir());
}

}  // namespace fq::meeting
