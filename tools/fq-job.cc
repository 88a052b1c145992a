// fq-job: everything about one job, and acts on several. Each sub-command stands in its own file under
// tools/job.

#include "cli/frame/sub_command.h"
#include "commands.h"
#include "job/commands.h"

namespace {

int run(int argc, char** argv) {
  using namespace fq::tools::job;
  const std::vector<fq::cli::SubCommand> commands{
      {"attach", "show a job's output as it comes, and return its exit code", attach},
      {"data", "print what a service keeps with a job, or keep a file in its place", data},
      {"eventlog", "print a job's event log", eventlog},
      {"hostpids", "print the hosts and process ids of a job's tasks", hostpids},
      {"id", "print job ids in another form", id},
      {"info", "print a document of a job: jobspec, R, J, eventlog, guest.NAME", info},
      {"kill", "send a signal to running jobs", kill},
      {"killall", "send a signal to all your running jobs", killall},
      {"last", "print the ids of your latest jobs", last},
      {"memo", "keep notes with a job", memo},
      {"purge", "remove jobs that have ended", purge},
      {"raise", "raise an exception on jobs, or on all your active ones", raise},
      {"raiseall", "", raiseall},
      {"status", "wait for jobs and return the largest exit code", status},
      {"submit", "submit a jobspec in JSON or YAML", submit},
      {"taskmap", "say which task of a job runs on which of its nodes", taskmap},
      {"timeleft", "print the seconds until a job's time limit", timeleft},
      {"uri", "print the store of the instance inside a job", uri},
      {"urgency", "hold, release or reorder jobs that wait", urgency},
      {"wait", "wait for a job, or for waitable ones, and say how it ended", wait},
      {"wait-event", "wait for an event of a job and print it", wait_event},
      {"why", "say why a job has not started", why},
  };
  return fq::cli::run_sub_command("fq-job", "look at a job, wait for it, or act on it", commands, argc, argv);
}

}  // namespace

int fq::tools::command::job(int argc, char** argv) {
  return ::run(argc, argv);
}
