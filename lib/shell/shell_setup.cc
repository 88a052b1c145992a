// The set-up of a shell's run: the process itself, the job's documents, logs, directory, streams and tasks.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/text.h"
#include "meeting/enclosure.h"
#include "meeting/standing.h"
#include "meeting/task_record.h"
#include "meeting/tmpdir.h"
#include "process/machine/baseline.h"
#include "process/machine/cpu_map.h"
#include "process/start/find_program.h"
#include "process/tree/process_tree.h"
#include "shell/environment.h"
#include "shell/shell_run.h"
#include "shell/shell_signals.h"

namespace fq::shell {

using nlohmann::json;

namespace {

constexpr mode_t kDefaultUmask = 022;
// Tasks are to die before their shell when memory runs out; a unit is a thousandth of the machine's memory.
constexpr int kTaskOomBonus = 100;
constexpr int kMaxOomScore = 1000;
// Environments are built for so many tasks at once.
constexpr std::size_t kStartBatch = 256;

/// The file as every task's input; nothing where opening it may wait for somebody.
UniqueFd open_input(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode)) return {};
  try {
    return open_file(path, O_RDONLY | O_NOCTTY);
  } catch (const Error& failure) {
    throw failure.within("input");
  }
}

}  // namespace

void ShellRun::prepare_process() {
  if (!launch_.baseline.empty()) {
    inherited_ = process::restore(process::Baseline::decode(launch_.baseline));
  }
  process::set_subreaper(true);
  signals_ = watch_signals();  // those but SIGCHLD are handed to the tasks
  timers_.open();
  oom_score_ = std::atoi(read_file_if_exists("/proc/self/oom_score_adj").value_or("0").c_str());

  // The shell needs descriptors for every task; the tasks start with the limit that was there.
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limits_.limits.push_back({RLIMIT_NOFILE, limit.rlim_cur, limit.rlim_max});
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

void ShellRun::read_job() {
  jobspec_ = document::Jobspec::parse(launch_.jobspec);
  options_ = document::parse_shell_options(*jobspec_);
  plan_ = document::make_task_plan(*jobspec_, document::ResourceSet::parse(launch_.R), options_.taskmap);
  document::check_tasks_named(options_, plan_.tasks.size());
  id_text_ = job_id_text(launch_.id, *jobspec_);
  process::FittedLimits fitted = process::fit_limits(options_.rlimits);
  limits_.limits.insert(limits_.limits.end(), fitted.limits.begin(), fitted.limits.end());
  early_.insert(early_.end(), fitted.warnings.begin(), fitted.warnings.end());
}

void ShellRun::open_logs() {
  // Nothing is started before there is room to tell of it.
  const auto ntasks = static_cast<std::uint32_t>(plan_.tasks.size());
  bool room = false;
  while (!room) {
    try {
      room = keeping_.open(ntasks);
    } catch (const Error&) {
      // It is told where it can be told.
      if (keeping_.output() != nullptr) output_.emplace(*keeping_.output(), ntasks);
      throw;
    }
    if (!room) pause_for(kRetryRoom);
  }
  output_.emplace(*keeping_.output(), ntasks);
}

void ShellRun::watch_control() {
  if (!keeping_.watch_orders()) timers_[Timer::poll_control] = clock_.boot_time();
}

void ShellRun::enter_directory() {
  const std::string cwd = jobspec_->cwd().empty() ? "/tmp" : jobspec_->cwd();
  if (::chdir(cwd.c_str()) != 0) throw system_error("cannot enter directory " + quote(cwd), errno);
}

document::TemplateValues ShellRun::template_values() const {
  document::TemplateValues values;
  values.id = launch_.id;
  values.id_text = id_text_;
  values.name = jobspec_->name();
  values.tmpdir = tmpdir_;
  values.plan = &plan_;
  return values;
}

std::string ShellRun::stdin_path(const document::TemplateValues& values) const {
  return options_.stdin_path.empty() ? "/dev/null" : document::render(options_.stdin_path, values);
}

void ShellRun::open_streams() {
  // What jobs of an instance inside a job make goes with that job's directory.
  std::string beside;
  if (const auto enclosure = keeping_.enclosure()) {
    parent_ = enclosure->store;
    beside = std::filesystem::path(meeting::addressed_store(files_.store())).parent_path().string();
    encloser_ = meeting::watch_life(beside);
  }
  if (const char* shown = std::getenv(std::string{meeting::kGpusShownName}.c_str()))
    gpus_shown_ = notation::Idset::decode(shown);
  const auto record = [this](const std::string& path) { keeping_.record_tmpdir(path); };
  tmpdir_ = meeting::make_job_tmpdir(launch_.id, *jobspec_, record, beside);
  fault_point("tmpdir-made");
  if (jobspec_->batch()) life_ = keeping_.show_life(tmpdir_);
  meeting::write_job_files(*jobspec_, tmpdir_);
  if (options_.pmi != document::ShellOptions::Pmi::off) {
    if (jobspec_->batch()) {
      // All nodes of a store are this machine.
      host_file_ = tmpdir_ + "/hostfile";
      write_file(host_file_, fmt::format("localhost slots={}\n", jobspec_->counts().nslots));
      write_file(host_file_ + std::string{kHydraEnding},
                 fmt::format("localhost:{}\n", jobspec_->counts().nslots));
    } else {
      pmi_library_ = process::find_beside("libpmi.so");
    }
  }

  ::umask(options_.umask.value_or(kDefaultUmask));
  document::TemplateValues values = template_values();
  // Of a job called a/b nobody made a directory a, and one called .. is none.
  std::replace(values.name.begin(), values.name.end(), '/', '_');
  if (values.name == "." || values.name == "..")
    std::replace(values.name.begin(), values.name.end(), '.', '_');
  output_->open_streams(options_, plan_, values);
  if (options_.stdin_service) {
    input_.emplace(keeping_.input(), static_cast<std::uint32_t>(plan_.tasks.size()));
  }
  if (is_interactive(0)) {
    const process::WindowSize window{options_.pty->rows, options_.pty->columns};
    keeping_.open_terminal(terminal_, launch_.id, window, clock_);
  }
  for (const document::PlannedTask& task : plan_.tasks) {
    values.task = &task;
    values.node = &plan_.nodes[task.node];
    if (is_interactive(task.rank) || (on_terminal(task.rank) && options_.stdin_path.empty())) {
      stdin_.emplace_back();  // it reads from its terminal
    } else if (options_.stdin_service && options_.stdin_ranks.contains(task.rank)) {
      stdin_.push_back(input_->open_pipe(task.rank));
    } else {
      stdin_.push_back(open_input(stdin_path(values)));
    }
  }
}

std::optional<notation::Idset> ShellRun::cpus_for(const document::PlannedTask& task) const {
  const document::AffinityOption& option = options_.cpu_affinity;
  if (option.mode == document::AffinityOption::Mode::off) return std::nullopt;
  if (option.mode == document::AffinityOption::Mode::map)
    return option.map[task.local_id % option.map.size()];
  const bool own = option.mode == document::AffinityOption::Mode::per_task;
  notation::Idset cpus = process::cpus_of(own ? task.cores : plan_.nodes[task.node].cores, cpu_map_);
  if (cpus.empty()) return std::nullopt;
  return cpus;
}

void ShellRun::check_cpu_map() const {
  const document::AffinityOption& option = options_.cpu_affinity;
  if (option.mode != document::AffinityOption::Mode::map) return;
  const auto last = static_cast<std::uint32_t>(std::max(::sysconf(_SC_NPROCESSORS_CONF), 1L) - 1);
  const notation::Idset all = notation::Idset::from_range(0, last);
  for (const notation::Idset& cpus : option.map) {
    if (all.includes(cpus)) continue;
    throw error(Kind::invalid, "cpu-affinity: there is no CPU {}: this machine has {}",
                cpus.subtract(all).encode(), all.encode());
  }
}

bool ShellRun::on_terminal(std::uint32_t rank) const {
  return options_.pty && options_.pty->ranks.contains(rank);
}

bool ShellRun::is_interactive(std::uint32_t rank) const {
  return options_.pty && options_.pty->interactive && rank == 0;
}

process::TaskCommand ShellRun::command_for(const document::PlannedTask& task) {
  document::TemplateValues values = template_values();
  process::TaskCommand command;
  command.rank = task.rank;
  command.environment = task_environment(
      *jobspec_, plan_, task.rank, options_,
      {launch_.id, launch_.attempt, meeting::addressed_store(files_.store()), parent_, files_.identity(),
       tmpdir_, keeping_.own_guest_dir(), pmi_library_, host_file_, pmi_.has_value(), gpus_shown_},
      values);
  values.task = &task;
  values.node = &plan_.nodes[task.node];
  for (const std::string& argument : jobspec_->command())
    command.arguments.push_back(document::render(argument, values));
  command.cpus = cpus_for(task);
  if (command.cpus) command.memory_nodes = process::numa_nodes_of(*command.cpus, numa_map_);
  if (options_.memory_affinity == document::MemoryAffinity::bind)
    command.memory_from = process::MemoryFrom::nodes_only;
  command.limits = limits_.limits;
  command.umask = options_.umask.value_or(kDefaultUmask);
  command.oom_score_adj = options_.oom_adjust.value_or(std::min(oom_score_ + kTaskOomBonus, kMaxOomScore));
  command.new_process_group = options_.new_process_group;
  command.cgroup = cgroup_;
  command.stdin_path = stdin_path(values);
  return command;
}

void ShellRun::record(const std::vector<process::StartedTask>& started) {
  std::string lines;
  if (tasks_.empty()) lines = meeting::encode_record(meeting::own_session(launch_.attempt, launch_.boot_id));
  for (const process::StartedTask& task : started) {
    lines += meeting::encode_record(
        meeting::TaskRecord{launch_.attempt, task.pid, task.start_time, launch_.boot_id, task.rank});
  }
  fault_point("tasks-forked");
  keeping_.record(lines);
  fault_point("tasks-recorded");
}

void ShellRun::type_input(std::uint32_t rank, const UniqueFd& master) {
  if (!input_ || !options_.stdin_ranks.contains(rank)) {
    static_cast<void>(!::write(master.get(), &process::kEndOfInput, 1));
    return;
  }
  UniqueFd typed{::fcntl(master.get(), F_DUPFD_CLOEXEC, 0)};
  if (!typed.valid()) throw system_error("cannot share a terminal", errno);
  input_->type_on(rank, std::move(typed));
}

void ShellRun::start_all() {
  check_cpu_map();
  cgroup_ = keeping_.make_cgroup();
  using Pmi = document::ShellOptions::Pmi;
  const bool several = plan_.tasks.size() > 1;
  if (options_.pmi == Pmi::simple || (options_.pmi == Pmi::automatic && several)) {
    pmi_.emplace(static_cast<std::uint32_t>(plan_.tasks.size()), notation::to_f58_ascii(launch_.id),
                 plan_.taskmap.encode_pmi());
    for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node)
      make_directory(shared_memory_dir(tmpdir_, plan_, node));
  }
  cpu_map_ = keeping_.cpu_map();
  if (options_.memory_affinity != document::MemoryAffinity::off) numa_map_ = process::read_numa_map();
  for (std::size_t first = 0; first < plan_.tasks.size(); first += kStartBatch) {
    std::vector<process::TaskCommand> commands;
    std::vector<process::Pty> terminals;
    std::vector<UniqueFd> bootstrap;
    const std::size_t last = std::min(first + kStartBatch, plan_.tasks.size());
    for (std::size_t i = first; i < last; ++i) {
      commands.push_back(command_for(plan_.tasks[i]));
      process::TaskCommand& command = commands.back();
      command.stdin_fd = stdin_[command.rank].get();
      command.stop_in_exec = options_.stop_in_exec;
      if (pmi_) {
        bootstrap.push_back(pmi_->add_task());
        command.kept_fd = bootstrap.back().get();
        command.environment.push_back(fmt::format("PMI_FD={}", command.kept_fd));
        command.environment.push_back(fmt::format("PMI_RANK={}", command.rank));
        command.environment.push_back(fmt::format("PMI_SIZE={}", plan_.tasks.size()));
      }
      if (!on_terminal(command.rank)) continue;
      if (is_interactive(command.rank)) {
        terminals.push_back({terminal_->share_master(), terminal_->take_slave()});
        command.stdin_fd = terminals.back().slave.get();
      } else {
        // Nobody sees what is typed there: it is no part of the output.
        terminals.push_back(
            process::make_pty({options_.pty->rows, options_.pty->columns}, process::Echo::off));
        if (options_.stdin_path.empty()) {
          command.stdin_fd = terminals.back().slave.get();
          type_input(command.rank, terminals.back().master);
        }
      }
      command.terminal_fd = terminals.back().slave.get();
    }
    auto terminal = terminals.begin();
    for (process::StartedTask& task :
         process::start_tasks(commands, [this](const auto& started) { record(started); })) {
      by_pid_[task.pid] = task.rank;
      const document::PlannedTask& planned = plan_.tasks[task.rank];
      const std::optional<notation::Idset> cpus = cpus_for(planned);
      tell(fmt::format("task {} on {}: pid {}, cores {}, CPUs {}", task.rank, plan_.nodes[planned.node].host,
                       task.pid, planned.cores.encode(), cpus ? cpus->encode() : "any"));
      ++running_;
      tasks_.push_back(
          {task.pid, std::move(task.out), std::move(task.err), std::move(task.failed), false, {}});
      if (!on_terminal(task.rank)) continue;
      tasks_.back().out = std::move(terminal->master);
      tasks_.back().terminal = std::move(terminal->slave);
      ++terminal;
      output_->close(task.rank, Stream::err);
    }
  }
  stdin_.clear();
  // A control group tells who is in it.
  if (cgroup_.empty()) {
    if (std::optional<meeting::SessionLog> log = keeping_.sessions()) sessions_.emplace(std::move(*log));
    if (sessions_) timers_[Timer::sessions] = sessions_->next();
  }
}

}  // namespace fq::shell
