// fq-job taskmap, hostpids, uri: where a job's tasks run, as which processes, and what is inside it.

#include "request/place.h"

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/follow/event_follower.h"
#include "cli/frame/common_options.h"
#include "cli/frame/job_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "document/jobspec/taskmap.h"
#include "document/resource/resource_set.h"
#include "door/door.h"
#include "frame/instance_inside.h"
#include "frame/store_session.h"
#include "job/commands.h"
#include "notation/fsd.h"
#include "notation/hostlist.h"
#include "notation/idset.h"
#include "request/find_job.h"
#include "request/wait.h"

namespace fq::tools::job {
namespace {

using document::Taskmap;
using notation::JobId;

// Which tasks of a job's last attempt are where. Waits until its shell has started them. Throws
// Error{timeout}, and Error{refused} for a job that started none.
Taskmap wait_for_taskmap(const door::Door& door, JobId id, double timeout_s) {
  cli::EventFollower follower(door, id, "guest.exec.eventlog", cli::EventFollower::Missing::wait);
  const double deadline = door.clock().boot_time() + timeout_s;
  Taskmap map;
  bool started = false;
  document::Event event;
  for (;;) {
    // Later attempts come in the same log: all of it that is there counts.
    switch (follower.next(event, started ? 0 : deadline)) {
      case cli::EventFollower::Next::timeout:
        if (started) return map;
        throw error(Kind::timeout, "job {} has not started within {} s", id, timeout_s);
      case cli::EventFollower::Next::end:
        if (started) return map;
        throw error(Kind::refused, "job {} has started no tasks", id);
      case cli::EventFollower::Next::event:
        break;
    }
    const JsonAt context{event.context, "event " + event.name};
    if (event.name == "starting") {
      started = false;
    } else if (event.name == "shell.start") {
      map = Taskmap::from_json(context.at("taskmap"));
      started = true;
    }
  }
}

std::vector<std::string> hosts_of(const door::Door& door, JobId id) {
  return notation::Hostlist::decode(door.ask(request::FindJobRequest{id}).job.nodelist).hosts();
}

std::uint32_t parse_number(const std::string& text) {
  const auto number = parse_u64(text);
  if (!number || *number > UINT32_MAX)
    throw error(Kind::usage, "expected a number from 0, got {}", quote(text));
  return static_cast<std::uint32_t>(*number);
}

std::string convert(const Taskmap& map, const std::string& form) {
  if (form == "raw") return map.encode_raw() + "\n";
  if (form == "pmi") return map.encode_pmi() + "\n";
  if (form == "multiline") return map.encode_multiline();
  return map.encode() + "\n";
}

/// None for what can only be meant as a task map: JSON, a PMI vector, or a list of id sets. Throws
/// Error{usage}.
std::optional<JobId> job_id(const std::string& text) {
  try {
    return cli::parse_job_id(text);
  } catch (const Error&) {
    if (text.find_first_of("[({;") == std::string::npos &&
        text.find_first_not_of("0123456789,-") != std::string::npos) {
      throw;
    }
    return std::nullopt;
  }
}

}  // namespace

int uri(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-job uri", "print the store of the instance inside a job, for --store",
                           {"ID", 1, 1});
  parser.example("fq jobs --store $(fq job uri ƒ2GMuTnf)");
  cli::add_common_options(parser, common);
  const JobId id = cli::parse_job_id(parser.parse(argc, argv)[0]);
  const tools::StoreSession store("fq-job", common);
  const fq::job::Job job = store.get().ask(request::FindJobRequest{id}).job;
  if (job.state != fq::job::State::run) throw error(Kind::refused, "job {} does not run", id);
  const auto path = store.get().ask(request::InstancesRequest{{id}}).stores.at(0);
  if (!path || !tools::may_be_there(store.get(), common, job, *path)) {
    throw Error{Kind::refused, fmt::format("job {} has no instance", id),
                "batch jobs have one, from the first command of fq in their script"};
  }
  cli::print_line(*path);
  return 0;
}

int taskmap(int argc, char** argv) {
  cli::CommonOptions common;
  std::optional<std::uint32_t> taskids, ntasks, nodeid, hostname;
  std::optional<std::string> to;
  int asked = 0;
  cli::OptionParser parser("fq-job taskmap", "say which task of a job runs on which of its nodes",
                           {"ID|TASKMAP", 1, 1});
  parser.example("fq job taskmap --hostname=0 ƒ2GMuTnf");
  parser.example("fq job taskmap --to=multiline '[[0,4,2,1]]'");
  parser.group("What to print instead of the map; one of");
  const auto number = [&](std::optional<std::uint32_t>& target) {
    return [&](const std::string& value) {
      target = parse_number(value);
      ++asked;
    };
  };
  parser.option("--taskids", "NODEID", number(taskids), "the ids of the tasks on a node");
  parser.option("--ntasks", "NODEID", number(ntasks), "the number of tasks on a node");
  parser.option("--nodeid", "TASKID", number(nodeid), "the node of a task, counted within the job");
  parser.option("--hostname", "TASKID", number(hostname), "the host of a task");
  parser.option(
      "--to", "FORM",
      [&](const std::string& value) {
        if (value != "raw" && value != "pmi" && value != "multiline" && value != "hosts") {
          throw error(Kind::usage, "expected raw, pmi, multiline or hosts, got {}", quote(value));
        }
        to = value;
        ++asked;
      },
      "as raw, pmi, multiline (RFC 34), or hosts");
  cli::add_common_options(parser, common);
  const auto operands = parser.parse(argc, argv);
  if (asked > 1) throw Error{Kind::combination, "ask for one thing only"};
  const auto id = job_id(operands[0]);
  if (!id && (hostname || to == "hosts"))
    throw Error{Kind::usage, "a task map knows no hosts: give a job id"};

  std::optional<tools::StoreSession> store;
  Taskmap map;
  if (id) {
    store.emplace("fq-job", common);
    map = wait_for_taskmap(store->get(), *id, request::kNoTimeout);
  } else {
    try {
      map = Taskmap::decode(operands[0]);
    } catch (const Error& failure) {
      throw Error{Kind::usage, failure.what(), failure.hint()};
    }
  }
  if (taskids) {
    cli::print(map.tasks_on(*taskids).encode() + "\n");
  } else if (ntasks) {
    cli::print(fmt::format("{}\n", map.ntasks_on(*ntasks)));
  } else if (nodeid) {
    cli::print(fmt::format("{}\n", map.node_of(*nodeid)));
  } else if (hostname) {
    cli::print(hosts_of(store->get(), *id).at(map.node_of(*hostname)) + "\n");
  } else if (to == "hosts") {
    const std::vector<std::string> hosts = hosts_of(store->get(), *id);
    for (std::uint32_t node = 0; node < map.nnodes(); ++node)
      cli::print(fmt::format("{}: {}\n", hosts.at(node), map.tasks_on(node).encode()));
  } else {
    cli::print(convert(map, to.value_or("")));
  }
  return 0;
}

int hostpids(int argc, char** argv) {
  cli::CommonOptions common;
  double timeout_s = request::kNoTimeout;
  std::string delimiter = ",";
  std::optional<notation::Idset> ranks;
  cli::OptionParser parser("fq-job hostpids",
                           "print HOST:PID of a running job's tasks, in the order of their ranks",
                           {"ID", 1, 1});
  parser.example("gdb -p $(fq job hostpids ƒ2GMuTnf | cut -d: -f2)");
  parser.group("Options");
  parser.option("-d,--delimiter", "TEXT", delimiter, "between them (,); \\n for lines");
  parser.option(
      "-r,--ranks", "IDSET",
      [&](const std::string& value) {
        if (value != "all") ranks = notation::Idset::decode(value);
      },
      "only tasks of these ranks");
  parser.option(
      "-t,--timeout", "FSD", [&](const std::string& value) { timeout_s = notation::parse_fsd(value); },
      "give up waiting for its start after that long");
  cli::add_common_options(parser, common);
  const auto operands = parser.parse(argc, argv);
  const JobId id = cli::parse_job_id(operands[0]);
  if (delimiter == "\\n") delimiter = "\n";
  const tools::StoreSession store("fq-job", common);
  const Taskmap map = wait_for_taskmap(store.get(), id, timeout_s);
  const auto tasks = store.get().ask(request::TasksRequest{id}).tasks;
  const std::vector<std::string> hosts = hosts_of(store.get(), id);
  std::map<std::uint32_t, std::string> by_rank;
  for (const request::RunningTask& task : tasks) {
    if (ranks && !ranks->contains(task.rank)) continue;
    by_rank[task.rank] = fmt::format("{}:{}", hosts.at(map.node_of(task.rank)), task.pid);
  }
  std::string out;
  for (const auto& [rank, text] : by_rank) out += (out.empty() ? "" : delimiter) + text;
  cli::print(out + "\n");
  return 0;
}

}  // namespace fq::tools::job
