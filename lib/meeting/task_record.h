// guest/<id>/tasks: the processes that a job's shells started, written before each one's exec, so that a dead
// shell's tasks are always found.
//
//   <attempt> task <pid> <start time> <boot id> <rank>     start time in clock ticks since boot
//   <attempt> session <id> <start time> <boot id>         one that the attempt's processes are in
//   <attempt> tmpdir <path>                                the job's temporary directory
//   <attempt> cgroup <path>                                the directory of the attempt's control group
//
// One line each, appended whole. Directories are recorded before they are made. The session is the shell's
// own; those that descendants made are in guest/<id>/sessions, in the same form: what there is of them now,
// written anew whenever that changes. A process group lies within one session: whose session is known needs
// no group.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace fq::meeting {

/// The rank of a prolog or epilog, which is no task.
inline constexpr std::uint32_t kPerilogRank = UINT32_MAX;

struct TaskRecord {
  std::uint32_t attempt = 0;
  pid_t pid = 0;
  std::uint64_t start_time = 0;
  std::string boot_id;
  std::uint32_t rank = 0;
  friend bool operator==(const TaskRecord&, const TaskRecord&) = default;
};

/// A session that processes of an attempt are in. Its id stays taken as long as a process is in it.
struct SessionRecord {
  std::uint32_t attempt = 0;
  pid_t id = 0;
  std::uint64_t start_time = 0;  ///< of its leader; where that is gone, of the first of them that was seen
  std::string boot_id;
  friend bool operator==(const SessionRecord&, const SessionRecord&) = default;
};

/// A directory that belongs to an attempt.
struct PlaceRecord {
  enum class Kind { tmpdir, cgroup };
  std::uint32_t attempt = 0;
  Kind kind = Kind::tmpdir;
  std::string path;
  friend bool operator==(const PlaceRecord&, const PlaceRecord&) = default;
};

struct TaskRecords {
  std::vector<TaskRecord> tasks;
  std::vector<SessionRecord> sessions;
  std::vector<PlaceRecord> places;
};

[[nodiscard]] std::string encode_record(const TaskRecord& record);
[[nodiscard]] std::string encode_record(const SessionRecord& record);
[[nodiscard]] std::string encode_record(const PlaceRecord& record);
/// The records of the file's text. Lines of another form, and a last line without newline, are passed over.
[[nodiscard]] TaskRecords decode_records(std::string_view text);

}  // namespace fq::meeting
