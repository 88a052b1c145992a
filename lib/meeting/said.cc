#include "meeting/said.h"

#include <map>

#include "base/file.h"
#include "meeting/append_file.h"
#include "meeting/enclosure.h"
#include "meeting/liveness.h"
#include "process/tree/process_id.h"

namespace fq::meeting {

void note_said(const JobFiles& files, notation::JobId id, const std::string& records) {
  AppendFile(files.said(id), /*truncate=*/false).append(records);
}

TaskRecords read_said(const JobFiles& files, notation::JobId id) {
  return decode_records(read_file_if_exists(files.said(id)).value_or(""));
}

std::vector<std::pair<std::uint32_t, pid_t>> said_tasks(const JobFiles& files, notation::JobId id,
                                                        std::uint32_t attempt) {
  std::map<pid_t, std::uint32_t> said;
  for (const TaskRecord& task : read_said(files, id).tasks) {
    if (task.attempt == attempt) said.emplace(task.pid, task.rank);
  }
  std::vector<std::pair<std::uint32_t, pid_t>> tasks;
  const auto shell = shell_process(files, id);
  if (said.empty() || !shell || !process::lives(*shell)) return tasks;
  const auto skip_none = [](const process::ProcessStat&) { return false; };
  for (const process::ProcessStat& process : process::descendants_of(shell->pid, skip_none)) {
    const auto inside = process::pid_one_namespace_in(process.pid);
    const auto found = inside ? said.find(*inside) : said.end();
    if (found != said.end()) tasks.emplace_back(found->second, process.pid);
  }
  return tasks;
}

std::optional<std::string> said_instance(const JobFiles& files, notation::JobId id) {
  const TaskRecords records = read_said(files, id);
  if (records.places.empty()) return std::nullopt;
  return instance_path(records.places.back().path);
}

}  // namespace fq::meeting
