#include "cli/frame/familiar_names.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "notation/fsd.h"

namespace fq::cli {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// Of several for one name the first one is meant that the command has.
constexpr std::array kOptions{
    Pair{"--partition", "--queue"},
    Pair{"-p", "--queue"},
    Pair{"-J", "--job-name"},
    Pair{"-L", "--job-name"},
    Pair{"--name", "--job-name"},
    Pair{"--time", "--time-limit"},
    Pair{"--walltime", "--time-limit"},
    Pair{"--cpus-per-task", "--cores-per-task"},
    Pair{"--cpus-per-task", "--cores-per-slot"},
    Pair{"--cpus", "--cores-per-task"},
    Pair{"--cpus", "--cores-per-slot"},
    Pair{"--ntasks", "--nslots"},
    Pair{"--tasks", "--ntasks"},
    Pair{"--array", "--cc"},
    Pair{"--gres", "--gpus-per-task"},
    Pair{"--gres", "--gpus-per-slot"},
    Pair{"--gpus", "--gpus-per-task"},
    Pair{"--gpus", "--gpus-per-slot"},
    Pair{"-G", "--gpus-per-task"},
    Pair{"-G", "--gpus-per-slot"},
    Pair{"-D", "--cwd"},
    Pair{"--chdir", "--cwd"},
    Pair{"-A", "--bank"},
    Pair{"--account", "--bank"},
    Pair{"-C", "--requires"},
    Pair{"--constraint", "--requires"},
    Pair{"-d", "--dependency"},
    Pair{"-i", "--input"},
    Pair{"-e", "--error"},
    Pair{"--begin", "--begin-time"},
    Pair{"--export", "--env"},
    Pair{"--hold", "--urgency"},
    Pair{"--priority", "--urgency"},
    Pair{"--state", "--filter"},
    Pair{"--states", "--filter"},
    Pair{"--state", "--states"},
    Pair{"-t", "--filter"},
    Pair{"-t", "--states"},
    Pair{"--suppress-header", "--no-header"},
    Pair{"--noheader", "--no-header"},
};

constexpr std::array kCommands{
    Pair{"sbatch", "batch"},
    Pair{"qsub", "batch"},
    Pair{"srun", "run"},
    Pair{"salloc", "alloc"},
    Pair{"squeue", "jobs"},
    Pair{"qstat", "jobs"},
    Pair{"list", "jobs"},
    Pair{"ls", "jobs"},
    Pair{"ps", "jobs"},
    Pair{"sacct", "jobs -a"},
    Pair{"scancel", "cancel"},
    Pair{"qdel", "cancel"},
    Pair{"sprio", "priority show"},
    Pair{"sacctmgr", "account"},
    Pair{"sreport", "report"},
    Pair{"sshare", "account view-bank -t"},
    Pair{"sstat", "job info"},
    Pair{"qalter", "update"},
    Pair{"sinfo", "resource list"},
    Pair{"nodes", "resource"},
    Pair{"cancel", "cancel"},  // of who asks another command for it
    Pair{"update", "update"},
    Pair{"top", "top"},
    Pair{"bjobs", "jobs"},
    Pair{"bsub", "submit"},
    Pair{"bkill", "cancel"},
    Pair{"uri", "job uri"},
    Pair{"clear", "job purge"},
    Pair{"logs", "job attach"},
    Pair{"log", "job attach"},
    Pair{"output", "job attach"},
    Pair{"watch", "job attach"},
    Pair{"show", "job info"},
    Pair{"cat", "job attach"},
    Pair{"tail", "job attach"},
};

constexpr std::string_view kNoBroker = "there is no broker: the first fq submit makes a store, or fq init";

// What fq has no command for, and how the same is done.
constexpr std::array kWays{
    Pair{"requeue", "fq job info --original ID jobspec | fq job submit - submits a job anew"},
    Pair{"scontrol",
         "fq job info, urgency and update are for jobs, fq resource for nodes, fq queue for queues"},
    Pair{"hold", "fq job urgency ID hold holds a job, fq job urgency ID default releases it"},
    Pair{"release", "fq job urgency ID default releases a job"},
    Pair{"qhold", "fq job urgency ID hold holds a job, fq job urgency ID default releases it"},
    Pair{"qrls", "fq job urgency ID default releases a job"},
    Pair{"mini", "its commands are fq submit, run, batch, alloc and bulksubmit"},
    Pair{"broker", kNoBroker},
    Pair{"dmesg", kNoBroker},
    Pair{"kvs", "nothing runs that holds a store: fq job info shows what a job has in it"},
    Pair{"module", kNoBroker},
    Pair{"jobtap", kNoBroker},
    Pair{"overlay", kNoBroker},
    Pair{"getattr", kNoBroker},
    Pair{"setattr", kNoBroker},
    Pair{"ping", kNoBroker},
    Pair{"proxy", "fq --store STORE COMMAND asks another store, fq --host HOST COMMAND one elsewhere"},
    Pair{"cron", "a crontab runs fq submit"},
    Pair{"tsp", "fq submit COMMAND queues one, fq jobs lists them, fq job attach shows its output"},
    Pair{"ts", "fq submit COMMAND queues one, fq jobs lists them, fq job attach shows its output"},
    Pair{"nq", "fq submit COMMAND queues one, fq jobs lists them, fq job attach shows its output"},
};

// The same of options, for commands that have another one.
struct OptionWay {
  std::string_view elsewhere, beside, way;
};
constexpr std::string_view kCopies =
    "copies of a script: for i in 1 2 3; do fq batch --env=i=$i SCRIPT; done";
constexpr std::string_view kArray =
    "a job for each: for i in 1 2 3; do fq batch --env=SLURM_ARRAY_TASK_ID=$i SCRIPT; done";
constexpr std::string_view kHosts = "--requires=host:NODES names the nodes that it may have";
constexpr std::string_view kNoMail = "nothing sends mail: fq job wait ID ends when the job does";
constexpr std::string_view kNoMemory =
    "memory is not counted: -N1 -x is a whole node, --rlimit=as=BYTES a bound for each process";
constexpr std::string_view kWatch = "-w is --watch: COLUMNS=100 fq jobs has lines that wide";
constexpr std::array kOptionWays{
    OptionWay{"--cc", "--wrap", kCopies},
    OptionWay{"--bcc", "--wrap", kCopies},
    OptionWay{"--array", "--wrap", kArray},
    OptionWay{"-a", "--wrap", kArray},
    OptionWay{"--parsable", "--wrap", "the id is all that is printed anyway"},
    OptionWay{"--wait", "--wrap", "fq job wait $(fq batch SCRIPT) waits, and exits as the job does"},
    OptionWay{"--ntasks-per-node", "--wrap", "-N2 -n8 has 4 on each of two nodes"},
    OptionWay{"--requeue", "--requires", "-S requeue=N lets it run again N times when others take its nodes"},
    OptionWay{"--me", "--message", "--all is all of yours, and of nobody else"},
    OptionWay{"--nodelist", "--requires", kHosts},
    OptionWay{"-w", "--requires", kHosts},
    OptionWay{"--exclude", "--requires", "--requires=-host:NODES names the nodes that it may not have"},
    OptionWay{"--mail-type", "--requires", kNoMail},
    OptionWay{"--mail-user", "--requires", kNoMail},
    OptionWay{"--mem", "--requires", kNoMemory},
    OptionWay{"--mem-per-cpu", "--requires", kNoMemory},
    OptionWay{"--mem-per-gpu", "--requires", kNoMemory},
    OptionWay{"--wrap", "--cc", "a shell runs a line: fq submit sh -c 'LINE'"},
    OptionWay{"--jobs", "--since", "ids stand alone: fq jobs ID..."},
    OptionWay{"-j", "--since", "ids stand alone: fq jobs ID..."},
    OptionWay{"-w", "--since", kWatch},
    OptionWay{"--watch", "--since", kWatch},
    OptionWay{"--me", "--since", "yours are listed anyway, -A lists those of all"},
    OptionWay{"--long", "--since", "-o long"},
    OptionWay{"-l", "--since", "-o long"},
};

}  // namespace

std::string_view familiar_option_way(std::string_view option, std::span<const std::string> known) {
  const auto* const found = std::find_if(kOptionWays.begin(), kOptionWays.end(), [&](const OptionWay& each) {
    return each.elsewhere == option && std::find(known.begin(), known.end(), each.beside) != known.end();
  });
  return found == kOptionWays.end() ? std::string_view{} : found->way;
}

std::string_view familiar_way(std::string_view name) {
  const auto* const found =
      std::find_if(kWays.begin(), kWays.end(), [&](const Pair& pair) { return pair.first == name; });
  return found == kWays.end() ? std::string_view{} : found->second;
}

std::string familiar_option(std::string_view option, std::span<const std::string> known) {
  for (const auto& [elsewhere, ours] : kOptions) {
    if (elsewhere == option && std::find(known.begin(), known.end(), ours) != known.end()) {
      return std::string{ours};
    }
  }
  return {};
}

std::string_view familiar_command(std::string_view name) {
  const auto* const found =
      std::find_if(kCommands.begin(), kCommands.end(), [&](const Pair& pair) { return pair.first == name; });
  return found == kCommands.end() ? std::string_view{} : found->second;
}

namespace {

// `1h30m` in its smallest unit, `90m`, in any order, and `1h30`, whose last part is of the next smaller one;
// empty for anything else.
std::string joined_parts(std::string_view text) {
  constexpr std::string_view kUnits = "smhd";
  constexpr std::array<std::uint64_t, 4> kSeconds{1, 60, 3600, 86400};
  std::uint64_t seconds = 0;
  std::size_t smallest = kUnits.size();
  std::set<std::size_t> units;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = parse_u64(text.substr(0, digits));
    std::size_t unit = std::string_view::npos;
    if (digits < text.size()) {
      unit = kUnits.find(text[digits]);
    } else if (smallest > 0) {
      unit = smallest - 1;
    }
    // Each unit once.
    if (!number || *number > 100'000 || unit >= kUnits.size() || !units.insert(unit).second) return {};
    seconds += *number * kSeconds[unit];
    smallest = std::min(smallest, unit);
    text.remove_prefix(std::min(digits + 1, text.size()));
  }
  return units.size() < 2 ? std::string{}
                          : fmt::format("{}{}", seconds / kSeconds[smallest], kUnits[smallest]);
}

// `5min` and `2 hours` with fq's unit; empty for anything else.
std::string with_short_unit(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 15> kWords{{{"sec", 's'},
                                                                      {"secs", 's'},
                                                                      {"second", 's'},
                                                                      {"seconds", 's'},
                                                                      {"min", 'm'},
                                                                      {"mins", 'm'},
                                                                      {"minute", 'm'},
                                                                      {"minutes", 'm'},
                                                                      {"hr", 'h'},
                                                                      {"hrs", 'h'},
                                                                      {"hour", 'h'},
                                                                      {"hours", 'h'},
                                                                      {"day", 'd'},
                                                                      {"days", 'd'},
                                                                      {"M", 'm'}}};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit = trim(text.substr(digits));
  const auto* const found =
      std::find_if(kWords.begin(), kWords.end(), [&](const auto& word) { return word.first == unit; });
  if (digits == 0 || found == kWords.end()) return {};
  return fmt::format("{}{}", text.substr(0, digits), found->second);
}

}  // namespace

std::string familiar_begin_time(std::string_view text) {
  constexpr std::string_view kNow = "now";
  if (!text.starts_with(kNow)) return {};
  text = trim(text.substr(kNow.size()));
  if (!text.starts_with('+')) return {};
  text = trim(text.substr(1));
  if (std::string duration = familiar_duration(text); !duration.empty()) return "+" + duration;
  try {
    static_cast<void>(notation::parse_fsd(text));
  } catch (const Error&) {
    return {};
  }
  return fmt::format("+{}", text);
}

std::string familiar_duration(std::string_view text) {
  if (std::string joined = joined_parts(text); !joined.empty()) return joined;
  if (std::string shorter = with_short_unit(text); !shorter.empty()) return shorter;
  // M:S, H:M:S, D-H, D-H:M, D-H:M:S.
  const std::size_t dash = text.find('-');
  const bool has_days = dash != std::string_view::npos;
  std::vector<std::uint64_t> parts;
  for (const std::string_view part : split(has_days ? text.substr(dash + 1) : text, ':')) {
    const auto number = parse_u64(part);
    if (!number || *number > 100'000) return {};
    parts.push_back(*number);
  }
  if (parts.size() > 3 || (!has_days && parts.size() < 2)) return {};
  std::uint64_t days = 0;
  if (has_days) {
    const auto number = parse_u64(text.substr(0, dash));
    if (!number || *number > 100'000) return {};
    days = *number;
    parts.resize(3, 0);
  } else if (parts.size() == 2) {
    parts.insert(parts.begin(), 0);
  }
  return notation::format_fsd(static_cast<double>(((days * 24 + parts[0]) * 60 + parts[1]) * 60 + parts[2]));
}

}  // namespace fq::cli
