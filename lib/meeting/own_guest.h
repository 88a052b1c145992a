// guest/<id>/own: the directory FLUX_JOB_GUEST_DIR. The regular files that a job's tasks put there are guest
// documents of its own, `guest.<name>` (RFC 16: `application`, `tools.<name>`, `<service>`), bounded in
// number and size. Links are not followed, and nothing waits for a FIFO or opens a device.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "meeting/job_files.h"

namespace fq::meeting {

inline constexpr std::size_t kMaxOwnFiles = 100;
inline constexpr std::uint64_t kMaxOwnFileBytes = std::uint64_t{256} << 20U;
inline constexpr std::uint64_t kMaxOwnBytes = std::uint64_t{1} << 30U;  ///< of all together
inline constexpr std::size_t kMaxOwnEntries = 10'000;  ///< so many names are looked at, whatever they are

/// The directory's path.
[[nodiscard]] std::string own_guest_dir(const JobFiles& files, notation::JobId id);

/// Whether a job may have `guest.<name>`: a key, and in none of fq's own directories `exec`, `output`,
/// `input`.
[[nodiscard]] bool is_own_guest_name(std::string_view name);

/// What is not kept. The names that are told are the first ones; the others are counted.
class LeftOut {
 public:
  void add(const std::string& name, std::string_view why);
  /// For the user; empty: nothing is left out.
  [[nodiscard]] std::string text() const;

 private:
  std::map<std::string, std::string> told_;
  std::size_t count_ = 0;
};

/// One file to be kept.
struct OwnGuestFile {
  std::string name;
  std::uint64_t size = 0;
};

struct OwnGuest {
  std::vector<OwnGuestFile> files;  ///< in the order of their names
  std::string left_out;             ///< what is not kept, and why, for the user; empty: nothing
};

/// What is kept of a job whose processes are gone. What was moved to data/ already counts as if it were still
/// there: the answer stays the same until the job has ended. Throws nothing: what cannot be read is left out.
[[nodiscard]] OwnGuest find_own_guest(const JobFiles& files, notation::JobId id);

/// The same of one directory, whose path is given.
[[nodiscard]] OwnGuest find_own_files(const std::string& directory);

/// Opens a regular file for reading; none where there is no such file. A link is not followed, a FIFO not
/// waited for. errno tells why; it is 0 for what is no regular file.
[[nodiscard]] UniqueFd open_regular(const std::string& path);
/// The same for a file of the job's own.
[[nodiscard]] UniqueFd open_own_guest(const JobFiles& files, notation::JobId id, std::string_view name);

/// For the shell of a job whose processes are gone: makes durable what is kept, removes the directory where
/// it is empty, and returns what is left out.
[[nodiscard]] std::string settle_own_guest(const JobFiles& files, notation::JobId id);

}  // namespace fq::meeting
