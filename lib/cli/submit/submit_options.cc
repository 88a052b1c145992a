#include "cli/submit/submit_options.h"

#include <array>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/job_values.h"
#include "job/job.h"

namespace fq::cli {
namespace {

void add_size_options(OptionParser& parser, SubmitOptions& options) {
  if (options.sizing == Sizing::slots) {
    parser.group("Size");
    parser.option("-n,--nslots", "N", options.ntasks, "number of slots");
    parser.option("-c,--cores-per-slot", "N", options.cores_per_task, "cores in each slot (1)");
    parser.option("-g,--gpus-per-slot", "N", options.gpus_per_task, "GPUs in each slot (0)");
    parser.option("-N,--nodes", "N", options.nodes, "spread over N nodes; alone: whole nodes");
    parser.flag("-x,--exclusive", options.exclusive, "whole nodes, with -N");
    return;
  }
  parser.group("Size, per task");
  parser.option("-n,--ntasks", "N", options.ntasks, "number of tasks (1)");
  parser.option("-c,--cores-per-task", "N", options.cores_per_task, "cores for each task (1)");
  parser.option("-g,--gpus-per-task", "N", options.gpus_per_task, "GPUs for each task (0)");
  parser.option("-N,--nodes", "N", options.nodes, "spread over N nodes; alone: a task a node");
  parser.flag("-x,--exclusive", options.exclusive, "whole nodes, with -N");
  parser.group("Size, per resource instead of per task");
  parser.option("--cores", "N", options.cores, "number of cores in all");
  parser.option("--tasks-per-node", "N", options.tasks_per_node, "tasks on each node");
  parser.option("--tasks-per-core", "N", options.tasks_per_core, "tasks on each core");
  parser.option("--gpus-per-node", "N", options.gpus_per_node, "GPUs of each node, with -N");
}

void add_environment_options(OptionParser& parser, SubmitOptions& options) {
  parser.group("What the job runs in");
  parser.option("--cwd", "DIR", options.cwd, "working directory (this one)");
  const auto add_rule = [&options](std::string_view option, std::string_view prefix) {
    return [&options, option, prefix](const std::string& text) {
      options.env.push_back({option, std::string{prefix} + text});
    };
  };
  parser.option("--env", "RULE", add_rule("--env", ""), "VAR=VALUE, PATTERN, -PATTERN or ^FILE");
  parser.option("--env-remove", "PATTERN", add_rule("--env-remove", "-"), "drop; read rules from FILE");
  parser.option("--env-file", "FILE", add_rule("--env-file", "^"), "");
  parser.option("--add-file", "[NAME=]FILE", options.files, "take FILE along, as {{tmpdir}}/NAME");
  parser.option("--rlimit", "RULE", options.rlimit, "NAME=VALUE, PATTERN or -PATTERN");
  parser.option("--input", "FILE", options.input, "as out-{{id}}.txt");
  parser.option("--output", "TEMPLATE", options.output, "");
  parser.option("--error", "TEMPLATE", options.error, "");
  parser.flag("-u,--unbuffered", options.unbuffered, "do not buffer input and output");
  parser.flag("-l,--label-io", options.label_io, "put the task's rank before each line");
  parser.option("--signal", "[SIG][@FSD]", options.signal, "warn before the time limit (USR1@60s)");
  parser.option("--taskmap", "SCHEME[:VAL]", options.taskmap, "block, cyclic[:N] or manual:MAP");
}

}  // namespace

void add_dump_option(OptionParser& parser, SubmitOptions& options) {
  parser.option("--dump", "FILE", options.dump, "keep the job's own instance in this archive");
  parser.optional_value("--dump", "fq-{{id}}-dump.tgz", {});
}

void add_submit_options(OptionParser& parser, SubmitOptions& options, Sizing sizing) {
  options.sizing = sizing;
  add_size_options(parser, options);

  parser.group("Where and when");
  parser.option("-q,--queue", "NAME", options.queue, "queue (the default one)");
  parser.option("-B,--bank", "NAME", options.bank, "bank to charge");
  parser.option("-t,--time-limit", "MIN|FSD", options.time_limit, "minutes, or 30s, 1.5h, 2d");
  parser.option("--urgency", "N", options.urgency, "0-31, hold, default (16), expedite");
  parser.option("--qos", "NAME", options.qos, "expedite, normal or standby");
  parser.option("--requires", "EXPR", options.requires_, "constraint: 'gpu and not host:n[1-2]'");
  parser.option("--dependency", "DEP", options.dependencies, "afterok:ID, afterany:ID, singleton, …");
  parser.option(
      "--begin-time", "+FSD|TIME",
      [&options](const std::string& time) { options.dependencies.push_back("begin-time:" + time); },
      "do not start before");

  add_environment_options(parser, options);

  parser.group("About the job");
  parser.option("--job-name", "NAME", options.job_name, "name (that of the program)");
  parser.option("-o,--setopt", "OPT[=VAL]", options.setopt, "option of the job's shell");
  parser.option("-S,--setattr", "ATTR[=VAL]", options.setattr, "attribute; ^ATTR=FILE reads JSON");
  parser.option("--flags", "FLAGS", options.flags, "debug, waitable");
  parser.flag("--dry-run", options.dry_run, "print the jobspec, submit nothing");
  parser.flag("--quiet", options.quiet, "do not print the job id");
  parser.count("-v,--verbose", options.verbose, "say more; may be repeated");
  parser.rarely({"--exclusive",  "--cores",   "--tasks-per-node", "--tasks-per-core", "--gpus-per-node",
                 "--bank",       "--qos",     "--requires",       "--begin-time",     "--cwd",
                 "--env-remove", "--rlimit",  "--unbuffered",     "--label-io",       "--signal",
                 "--add-file",   "--taskmap", "--setopt",         "--setattr",        "--flags",
                 "--dry-run",    "--quiet",   "--verbose"});
}

void for_each_text(SubmitOptions& options, const VisitText& visit) {
  const std::pair<std::string_view, std::optional<std::string>*> single[] = {
      {"-q", &options.queue},
      {"-B", &options.bank},
      {"-n", &options.ntasks},
      {"-N", &options.nodes},
      {"-c", &options.cores_per_task},
      {"-g", &options.gpus_per_task},
      {"--cores=", &options.cores},
      {"--tasks-per-node=", &options.tasks_per_node},
      {"--tasks-per-core=", &options.tasks_per_core},
      {"--gpus-per-node=", &options.gpus_per_node},
      {"-t", &options.time_limit},
      {"--urgency=", &options.urgency},
      {"--qos=", &options.qos},
      {"--job-name=", &options.job_name},
      {"--input=", &options.input},
      {"--output=", &options.output},
      {"--error=", &options.error},
      {"--signal=", &options.signal},
      {"--taskmap=", &options.taskmap},
      {"--cwd=", &options.cwd},
  };
  const std::pair<std::string_view, std::vector<std::string>*> several[] = {
      {"-o", &options.setopt},
      {"--setattr=", &options.setattr},
      {"--dependency=", &options.dependencies},
      {"--requires=", &options.requires_},
      {"--rlimit=", &options.rlimit},
      {"--flags=", &options.flags},
      {"--add-file=", &options.files},
  };
  for (const auto& [option, text] : single) {
    if (*text) visit(option, **text);
  }
  for (EnvRule& rule : options.env) visit("--env=", rule.text);
  for (const auto& [option, texts] : several) {
    for (std::string& text : *texts) visit(option, text);
  }
}

std::uint8_t submit_urgency(const SubmitOptions& options) {
  if (!options.urgency) return job::kUrgencyDefault;
  try {
    return parse_urgency(*options.urgency);
  } catch (const Error& failure) {
    throw error(Kind::usage, "--urgency: {}", failure.what());
  }
}

std::uint32_t submit_flags(const SubmitOptions& options) {
  std::uint32_t flags = 0;
  for (const std::string& joined : options.flags) {
    for (const std::string_view name : split(joined, ',')) {
      if (name == "debug") {
        flags |= job::kFlagDebug;
      } else if (name == "waitable") {
        flags |= job::kFlagWaitable;
      } else if (name != "novalidate") {
        static const std::array<std::string, 3> kNames{"debug", "waitable", "novalidate"};
        throw Error{Kind::usage, fmt::format("--flags: unknown flag {}", quote(name)),
                    did_you_mean(name, kNames)};
      }
    }
  }
  return flags;
}

}  // namespace fq::cli
