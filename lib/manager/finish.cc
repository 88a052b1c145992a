#include "manager/finish.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/text.h"
#include "job/actions.h"
#include "job/events.h"
#include "manager/drain.h"
#include "manager/guest_data.h"
#include "manager/post.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;

namespace {

// Guest files by the key they get under `guest.`; in the file system they have the same names.
constexpr std::array<std::string_view, 3> kGuestNames{"exec.eventlog", "output", "input"};

std::optional<std::uint64_t> file_size(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(info.st_size);
}

// The file gets its name under data/ beside the one in the guest directory, which is removed once the record
// is there: a power failure does not find it without either.
void move_out(const exec::JobFiles& files, JobId id, std::string_view name, const std::string& from) {
  make_directory(files.data_dir());
  make_directory(files.data(id));
  const std::string to = data_path(files, id, name);
  // Where a file cannot have two names it is renamed.
  const bool there = ::link(from.c_str(), to.c_str()) == 0 || errno == EEXIST;
  if (!there && ::rename(from.c_str(), to.c_str()) != 0)
    throw system_error("cannot move " + quote(from), errno);
  fault_point("guest-moved");
}

// What the record of a file that was moved out says. It will be there when the record is: contents and names
// are synced, also where an earlier try had come that far.
GuestFile moved_out(const exec::JobFiles& files, JobId id, std::string_view name) {
  const std::string path = data_path(files, id, name);
  GuestFile file{std::string{name}, {}, file_size(path).value_or(0), checksum_of_file(path)};
  sync_file(path);
  sync_directory(files.data(id));
  sync_directory(files.data_dir());
  return file;
}

}  // namespace

bool guest_is_small(const exec::JobFiles& files, JobId id) {
  return std::all_of(kGuestNames.begin(), kGuestNames.end(), [&](std::string_view name) {
    // What was moved already has no size here, but would be read again.
    return file_size(fmt::format("{}/{}", files.guest(id), name)).value_or(0) <= kMaxImportBytes &&
           !exists(data_path(files, id, name));
  });
}

std::vector<GuestFile> collect_guest(const exec::JobFiles& files, JobId id) {
  std::vector<GuestFile> guest;
  for (const std::string_view name : kGuestNames) {
    const std::string path = fmt::format("{}/{}", files.guest(id), name);
    const auto size = file_size(path);
    if (size && *size <= kMaxImportBytes) {
      guest.push_back({std::string{name}, read_file(path), *size, {}});
      continue;
    }
    if (size) move_out(files, id, name, path);
    if (file_size(data_path(files, id, name))) guest.push_back(moved_out(files, id, name));
  }
  return guest;
}

FinishRequest collect_finish(const exec::JobFiles& files, JobId id, std::uint32_t attempt,
                             const exec::ShellOutcome& outcome) {
  return {id, attempt, outcome.status, outcome.exceptions, outcome.t_finish, collect_guest(files, id)};
}

void import_guest(Change& change, const std::vector<GuestFile>& guest, JobId id) {
  std::vector<KeptFile> kept;
  for (const GuestFile& file : guest) {
    if (!file.checksum.empty()) {
      kept.push_back({file.name, file.size, file.checksum});
    } else {
      change.transaction().put(Family::kvs, records::key::guest(id, file.name), file.bytes);
    }
  }
  if (!kept.empty())
    change.transaction().put(Family::kvs, records::key::data(id, kFilesService), encode_kept_files(kept));
}

void finish_job(Change& change, const FinishRequest& request) {
  const job::Job& job = change.job(request.id);
  if (!job::wants_shell(job) || job.attempt != request.attempt) return;
  import_guest(change, request.guest, request.id);
  // The shell's clock may be a little off the store's.
  const auto fitted = [&](double time) { return std::clamp(time, job.t_run, change.now()); };
  for (document::Event exception : request.exceptions) {
    if (exception.context.value("type", "") == exec::kUnkillable) drain_unkillable(change, request.id);
    exception.timestamp = fitted(exception.timestamp);
    post(change, request.id, exception);
  }
  post(change, request.id, job::events::finish(fitted(request.t_finish), request.status));
}

std::optional<std::string> read_guest(const store::Reader& reader, const exec::JobFiles& files, JobId id,
                                      std::string_view name) {
  if (auto value = reader.get(Family::kvs, records::key::guest(id, name))) return value;
  // Only names that are the guest's own become part of a path.
  if (std::find(kGuestNames.begin(), kGuestNames.end(), name) == kGuestNames.end()) return std::nullopt;
  if (auto text = read_file_if_exists(data_path(files, id, name))) return text;
  return read_file_if_exists(fmt::format("{}/{}", files.guest(id), name));
}

}  // namespace fq::manager
