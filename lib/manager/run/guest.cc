#include "manager/run/guest.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/text.h"
#include "job/events.h"
#include "manager/core/post.h"
#include "manager/run/guest_data.h"
#include "meeting/own_guest.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;

namespace {

// Guest files by the key they get under `guest.`; in the file system they have the same names.
constexpr std::array<std::string_view, 5> kGuestNames{"exec.eventlog", "output", "input", "prolog", "epilog"};

// Whether it is the output of a prolog or epilog in an earlier attempt: `prolog.1`.
bool is_of_attempt(std::string_view name) {
  for (const document::PerilogKind kind : document::kPerilogKinds) {
    const std::string_view stem = document::name(kind);
    if (name.size() > stem.size() + 1 && name.starts_with(stem) && name[stem.size()] == '.' &&
        parse_u64(name.substr(stem.size() + 1)))
      return true;
  }
  return false;
}

// Those that a job has now, in its guest directory or moved out of it.
std::set<std::string> names_of_attempts(const meeting::JobFiles& files, JobId id) {
  std::set<std::string> names;
  constexpr std::string_view kMoved = "guest.";
  // Most jobs have neither, and need not be searched for them.
  const std::string guest = files.guest(id), data = files.data(id);
  if (exists(guest + "/prolog") || exists(guest + "/epilog")) {
    for (const std::string& name : names_in(guest).value_or(std::vector<std::string>{})) {
      if (is_of_attempt(name)) names.insert(name);
    }
  }
  for (const std::string& name : names_in(data).value_or(std::vector<std::string>{})) {
    if (name.starts_with(kMoved) && is_of_attempt(name.substr(kMoved.size())))
      names.insert(name.substr(kMoved.size()));
  }
  return names;
}

std::optional<std::uint64_t> file_size(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(info.st_size);
}

// A file that has another name elsewhere could not be copied.
class CopyError : public Error {
 public:
  explicit CopyError(const Error& failure) : Error(failure) {}
};

// A copy that gets its name when it is whole and durable. It has the first `size` bytes: the file may grow by
// its other name for as long as it is read.
void copy_out(int from, const std::string& from_path, std::uint64_t size, const std::string& directory,
              const std::string& name) {
  const std::string temporary = fmt::format("{}/new.{}", directory, name);
  try {
    const UniqueFd to = open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
    std::array<char, 65536> buffer{};
    while (size > 0) {
      const ssize_t n =
          ::read(from, buffer.data(), static_cast<std::size_t>(std::min<std::uint64_t>(size, buffer.size())));
      if (n < 0) throw system_error("cannot read " + quote(from_path), errno);
      if (n == 0) break;
      write_all(to.get(), {buffer.data(), static_cast<std::size_t>(n)}, temporary);
      size -= static_cast<std::uint64_t>(n);
    }
    if (::fsync(to.get()) != 0) throw system_error("cannot sync " + quote(temporary), errno);
    rename_synced(temporary, fmt::format("{}/{}", directory, name));
  } catch (const Error& failure) {
    ::unlink(temporary.c_str());
    throw CopyError{failure};
  }
}

// The file gets its name under data/ beside the one in the guest directory, which is removed once the record
// is there: a power failure does not find it without either. One that has a name elsewhere, by which it could
// be written to, is copied.
void move_out(const meeting::JobFiles& files, JobId id, std::string_view name, const std::string& from) {
  make_directory(files.data_dir());
  make_directory(files.data(id));
  const std::string to = data_path(files, id, name);
  if (exists(to)) return;
  const UniqueFd fd = open_file(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) throw system_error("cannot look at " + quote(from), errno);
  if (info.st_nlink > 1) {
    copy_out(fd.get(), from, static_cast<std::uint64_t>(info.st_size), files.data(id),
             fmt::format("guest.{}", name));
  } else if (::link(from.c_str(), to.c_str()) != 0 && errno != EEXIST) {
    // Where a file cannot have two names it is renamed.
    if (::rename(from.c_str(), to.c_str()) != 0) throw system_error("cannot move " + quote(from), errno);
  }
  fault_point("guest-moved");
}

// What the record of a file that was moved out says. It will be there when the record is: contents and names
// are synced, also where an earlier try had come that far.
GuestFile moved_out(const meeting::JobFiles& files, JobId id, std::string_view name) {
  const std::string path = data_path(files, id, name);
  GuestFile file{std::string{name}, {}, file_size(path).value_or(0), checksum_of_file(path)};
  sync_file(path);
  sync_directory(files.data(id));
  sync_directory(files.data_dir());
  return file;
}

}  // namespace

bool guest_is_small(const meeting::JobFiles& files, JobId id) {
  // What was moved already has no size here, but would be read again.
  const auto is_small = [&](std::string_view name) {
    return file_size(fmt::format("{}/{}", files.guest(id), name)).value_or(0) <= kMaxImportBytes &&
           !exists(data_path(files, id, name));
  };
  if (!std::all_of(kGuestNames.begin(), kGuestNames.end(), is_small)) return false;
  std::uint64_t sum = 0;
  for (const meeting::OwnGuestFile& file : meeting::find_own_guest(files, id).files) {
    sum += file.size;
    if (exists(data_path(files, id, file.name))) return false;
  }
  return sum <= kMaxImportBytes;
}

CollectedGuest collect_guest(const meeting::JobFiles& files, JobId id) {
  std::vector<GuestFile> guest;
  meeting::LeftOut left_out;
  const auto collect = [&](std::string_view name, const std::string& path, std::uint64_t most) {
    const auto size = file_size(path);
    if (size && *size <= most) {
      const UniqueFd fd = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      guest.push_back({std::string{name}, read_all(fd.get(), path), *size, {}});
      return *size;
    }
    if (size) move_out(files, id, name, path);
    if (file_size(data_path(files, id, name))) guest.push_back(moved_out(files, id, name));
    return std::uint64_t{0};
  };
  for (const std::string_view name : kGuestNames) {
    collect(name, fmt::format("{}/{}", files.guest(id), name), kMaxImportBytes);
  }
  for (const std::string& name : names_of_attempts(files, id))
    collect(name, fmt::format("{}/{}", files.guest(id), name), kMaxImportBytes);
  std::uint64_t left = kMaxImportBytes;
  for (const meeting::OwnGuestFile& file : meeting::find_own_guest(files, id).files) {
    try {
      left -= collect(file.name, fmt::format("{}/{}", meeting::own_guest_dir(files, id), file.name), left);
    } catch (const CopyError& failure) {
      left_out.add(file.name, failure.what());
    }
  }
  return {std::move(guest), left_out.text()};
}

void import_guest(Change& change, const CollectedGuest& guest, JobId id, double time) {
  std::vector<KeptFile> kept;
  for (const GuestFile& file : guest.files) {
    if (!file.checksum.empty()) {
      kept.push_back({file.name, file.size, file.checksum});
    } else {
      change.put_document(id, records::key::guest(id, file.name), file.bytes);
    }
  }
  if (!kept.empty()) {
    const std::string key = records::key::data(id, records::key::kFilesService),
                      text = encode_kept_files(kept);
    const auto before = change.transaction().get(Family::kvs, key);
    change.note_bytes(change.job(id).userid,
                      static_cast<std::int64_t>(bytes_of_kept_files(text)) -
                          static_cast<std::int64_t>(before ? bytes_of_kept_files(*before) : 0));
    change.put_document(id, key, text);
  }
  if (!guest.left_out.empty())
    post(change, id, job::events::exception(time, kGuestException, 1, guest.left_out));
}

void import_perilog_output(Change& change, const CollectedGuest& guest, JobId id,
                           document::PerilogKind kind) {
  const std::string name{document::name(kind)};
  for (const GuestFile& file : guest.files) {
    if (file.name != name && !(is_of_attempt(file.name) && file.name.starts_with(name))) continue;
    // The directory of those that were moved out goes with the run.
    const std::string bytes =
        file.checksum.empty() ? file.bytes
                              : read_file_if_exists(data_path(change.files(), id, file.name)).value_or("");
    const std::string kept =
        file.name == name ? fmt::format("{}.{}", name, change.job(id).attempt) : file.name;
    change.put_document(id, records::key::guest(id, kept), bytes);
  }
}

LiveGuest open_live_guest(const meeting::JobFiles& files, JobId id, std::string_view name) {
  // Only names that are the guest's own become part of a path.
  const bool is_own = meeting::is_own_guest_name(name);
  if (!is_own && !is_of_attempt(name) &&
      std::find(kGuestNames.begin(), kGuestNames.end(), name) == kGuestNames.end())
    return {};
  LiveGuest live{{},
                 fmt::format("{}/{}", is_own ? meeting::own_guest_dir(files, id) : files.guest(id), name)};
  live.fd = is_own ? meeting::open_own_guest(files, id, name) : meeting::open_regular(live.path);
  if (live.fd.valid()) return live;
  live.path = data_path(files, id, name);
  live.fd = meeting::open_regular(live.path);
  return live;
}

std::vector<std::string> live_guest_names(const meeting::JobFiles& files, JobId id) {
  std::vector<std::string> names;
  for (const std::string_view name : kGuestNames) {
    if (exists(fmt::format("{}/{}", files.guest(id), name)) || exists(data_path(files, id, name))) {
      names.emplace_back(name);
    }
  }
  for (const std::string& name : names_of_attempts(files, id)) names.push_back(name);
  for (meeting::OwnGuestFile& file : meeting::find_own_guest(files, id).files)
    names.push_back(std::move(file.name));
  return names;
}

}  // namespace fq::manager
