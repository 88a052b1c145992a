// fq-exec: a command on each node of the instance.

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/job_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/run_tool.h"
#include "cli/submit/surroundings.h"
#include "commands.h"
#include "frame/store_session.h"
#include "process/start/side_by_side.h"
#include "request/find_job.h"
#include "request/nodes.h"

namespace {

using namespace fq;
using notation::Idset;

struct Options {
  cli::CommonOptions common;
  std::optional<Idset> ranks;
  Idset excluded;
  std::optional<std::string> job, directory;
  bool label = false, no_input = false, quiet = false;
  int verbose = 0;
};

// What one of them writes, whole lines where they are labelled.
class Labelled {
 public:
  Labelled(bool label, std::string prefix) : label_(label), prefix_(std::move(prefix)) {}

  void write(bool error, std::string_view bytes) {
    std::string& rest = rest_[error ? 1 : 0];
    if (!label_) return show(error, bytes);
    rest += bytes;
    std::string lines;
    for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
      lines += prefix_ + rest.substr(0, end + 1);
    show(error, lines);
  }
  void finish() {
    for (const bool error : {false, true}) {
      const std::string& rest = rest_[error ? 1 : 0];
      if (!rest.empty()) show(error, prefix_ + rest + "\n");
    }
  }

 private:
  static void show(bool error, std::string_view text) {
    if (!text.empty()) error ? cli::print_error(text) : cli::print(text);
  }

  bool label_;
  std::string prefix_, rest_[2];
};

// The nodes that are meant, by rank, with their hosts. Those of a job are counted within it, as by
// flux exec: 0 is its first.
std::map<std::uint32_t, std::string> targets(const tools::StoreSession& store, const Options& options) {
  const request::ResourceUse use = store.get().ask(request::ResourceUseRequest{});
  std::map<std::uint32_t, std::string> hosts;
  for (const document::ResourceSet::Node& node : use.inventory.nodes()) hosts[node.rank] = node.host;
  std::string of_job;
  if (options.job) {
    const notation::JobId id = cli::parse_job_id(*options.job);
    const fq::job::Job job = store.get().ask(request::FindJobRequest{id}).job;
    if (!fq::job::is_running(job.state)) throw error(Kind::refused, "job {} is not running", id);
    const Idset ranks = Idset::decode(job.ranks);
    std::map<std::uint32_t, std::string> counted;
    for (const auto& [rank, host] : hosts) {
      if (ranks.contains(rank)) counted.emplace(static_cast<std::uint32_t>(counted.size()), host);
    }
    hosts = std::move(counted);
    of_job = fmt::format(" of job {}'s nodes", id);
  }
  Idset wanted;
  for (const auto& [rank, host] : hosts) wanted.insert(rank);
  if (options.ranks) {
    if (!wanted.includes(*options.ranks))
      throw error(Kind::not_found, "there are ranks {}{}, not {}", wanted.encode(), of_job,
                  options.ranks->subtract(wanted).encode());
    wanted = *options.ranks;
  }
  wanted = wanted.subtract(options.excluded);
  if (wanted.empty()) throw Error{Kind::usage, "no nodes are left"};
  std::erase_if(hosts, [&](const auto& each) { return !wanted.contains(each.first); });
  return hosts;
}

int exit_code_of(int status) {
  constexpr int kSignalBase = 128;
  return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string in_words(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
}

int run_on(const tools::StoreSession& store, const Options& options,
           const std::vector<std::string>& command) {
  const SystemClock clock;
  const std::map<std::uint32_t, std::string> hosts = targets(store, options);
  const cli::Surroundings surroundings = cli::capture_surroundings();
  const mode_t mask = ::umask(0);
  ::umask(mask);
  process::SideBySide run;
  std::vector<std::uint32_t> ranks;
  std::vector<Labelled> outputs;
  for (const auto& [rank, host] : hosts) {
    auto variables = surroundings.environment;
    variables["FQ_STORE"] = store.path();
    variables["FQ_NODE_RANK"] = std::to_string(rank);
    variables["FQ_NODE_NAME"] = host;
    process::TaskCommand& each = run.commands.emplace_back();
    each.arguments = command;
    for (const auto& [name, value] : variables) each.environment.push_back(fmt::format("{}={}", name, value));
    each.umask = mask;
    ranks.push_back(rank);
    outputs.emplace_back(options.label, fmt::format("{}: ", rank));
  }
  run.reads_input = !options.no_input;
  run.write = [&](std::size_t i, bool error, std::string_view bytes) { outputs[i].write(error, bytes); };
  Idset not_run;
  run.not_run = [&](std::size_t i, const std::string& why) {
    not_run.insert(ranks[i]);
    if (!options.quiet)
      cli::say("fq-exec",
               fmt::format("{}: cannot run {}: {}", hosts.at(ranks[i]), quote(command.front()), why));
  };
  if (options.directory && ::chdir(options.directory->c_str()) != 0)
    throw system_error("cannot enter directory " + quote(*options.directory), errno);
  process::InterruptCounter interrupts(process::InterruptCounter::Counted::int_alone);
  const std::vector<int> statuses = process::run_side_by_side(std::move(run), interrupts, clock);
  for (Labelled& output : outputs) output.finish();
  int code = 0;
  std::map<int, Idset> ended;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    code = std::max(code, exit_code_of(statuses[i]));
    if (!not_run.contains(ranks[i]) && (statuses[i] != 0 || options.verbose > 0))
      ended[statuses[i]].insert(ranks[i]);
  }
  for (const auto& [status, of] : ended) {
    if (!options.quiet)
      cli::say("fq-exec",
               fmt::format("{} {}: {}", of.count() == 1 ? "rank" : "ranks", of.encode(), in_words(status)));
  }
  return code;
}

int run(int argc, char** argv) {
  Options options;
  cli::OptionParser parser("fq-exec", "run a command on each node of the instance",
                           {"COMMAND [ARG...]", 1, cli::Operands::kUnlimited, /*options_first=*/true});
  parser.example("fq exec -l uptime");
  parser.example("fq exec -r 0 cat /proc/meminfo");
  parser.group("Where");
  const auto idset = [](const std::string& text) { return notation::Idset::decode(text); };
  parser.option(
      "-r,--rank", "IDSET",
      [&](const std::string& text) {
        if (text != "all") options.ranks = idset(text);
      },
      "on the nodes of these ranks (all)");
  parser.option(
      "-x,--exclude", "IDSET",
      [&](const std::string& text) {
        if (text == "all") throw Error{Kind::usage, "no nodes are left without all of them"};
        options.excluded = idset(text);
      },
      "not on these");
  parser.option("-j,--jobid", "ID", options.job, "on this running job's nodes, counted within it");
  parser.option("-d,--dir", "PATH", options.directory, "in this directory (the present one)");
  parser.group("Input and output");
  parser.flag("-l,--label-io", options.label, "`RANK: ` before each line");
  parser.flag("-n,--noinput", options.no_input, "nothing is passed on from stdin");
  parser.flag("-q,--quiet", options.quiet, "say nothing of those that failed");
  parser.count("-v,--verbose", options.verbose, "say how all of them ended");
  cli::add_common_options(parser, options.common);
  const std::vector<std::string> command = parser.parse(argc, argv);
  const tools::StoreSession store("fq-exec", options.common);
  return run_on(store, options, command);
}

}  // namespace

int fq::tools::command::exec(int argc, char** argv) {
  return ::run(argc, argv);
}
