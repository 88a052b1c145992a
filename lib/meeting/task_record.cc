#include "meeting/task_record.h"

#include <fmt/core.h>

#include "base/text.h"

namespace fq::meeting {
namespace {

constexpr std::string_view kTmpdir = "tmpdir";
constexpr std::string_view kCgroup = "cgroup";

}  // namespace

std::string encode_record(const TaskRecord& record) {
  return fmt::format("{} task {} {} {} {}\n", record.attempt, record.pid, record.start_time, record.boot_id,
                     record.rank);
}

std::string encode_record(const SessionRecord& record) {
  return fmt::format("{} session {} {} {}\n", record.attempt, record.id, record.start_time, record.boot_id);
}

std::string encode_record(const PlaceRecord& record) {
  return fmt::format("{} {} {}\n", record.attempt,
                     record.kind == PlaceRecord::Kind::tmpdir ? kTmpdir : kCgroup, record.path);
}

TaskRecords decode_records(std::string_view text) {
  TaskRecords records;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::vector<std::string_view> words = split(line, ' ');
    const auto attempt = parse_u64(words[0]);
    if (!attempt || *attempt > UINT32_MAX || words.size() < 3) continue;
    if (words[1] == kTmpdir || words[1] == kCgroup) {
      const auto kind = words[1] == kTmpdir ? PlaceRecord::Kind::tmpdir : PlaceRecord::Kind::cgroup;
      const std::size_t path = words[0].size() + words[1].size() + 2;
      records.places.push_back({static_cast<std::uint32_t>(*attempt), kind, std::string{line.substr(path)}});
    } else if (words[1] == "session" && words.size() == 5) {
      const auto id = parse_u64(words[2]);
      const auto start = parse_u64(words[3]);
      if (!id || *id == 0 || *id > INT32_MAX || !start) continue;
      records.sessions.push_back(
          {static_cast<std::uint32_t>(*attempt), static_cast<pid_t>(*id), *start, std::string{words[4]}});
    } else if (words[1] == "task" && words.size() == 6) {
      const auto pid = parse_u64(words[2]);
      const auto start = parse_u64(words[3]);
      const auto rank = parse_u64(words[5]);
      if (!pid || *pid == 0 || *pid > INT32_MAX || !start || !rank || *rank > UINT32_MAX) continue;
      records.tasks.push_back({static_cast<std::uint32_t>(*attempt), static_cast<pid_t>(*pid), *start,
                               std::string{words[4]}, static_cast<std::uint32_t>(*rank)});
    }
  }
  return records;
}

}  // namespace fq::meeting
