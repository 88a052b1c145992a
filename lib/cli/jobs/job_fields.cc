#include "cli/jobs/job_fields.h"

#include <algorithm>
#include <array>

#include "cli/jobs/job_json.h"
#include "notation/fluid.h"

namespace fq::cli {
namespace {

using job::Job;
using job::State;
using Row = JobRow;
using Member = std::string_view;
using Scratch = std::string&;

Value count(std::uint64_t number) {
  if (number == 0) return {};
  return static_cast<std::int64_t>(number);
}

Value text(std::string_view words) {
  return words;
}

template <notation::IdForm form>
Value id(const Row& row, Member, Scratch scratch) {
  scratch = notation::format_id(row.job->id, form);
  return text(scratch);
}

template <double Job::*time>
Value moment(const Row& row, Member, Scratch) {
  return row.job->*time;
}

template <std::string Job::*words>
Value words_of(const Row& row, Member, Scratch) {
  return text(row.job->*words);
}

Value truth(bool is_true) {
  return text(is_true ? "True" : "False");
}

Value exception_text(const Row& row, std::string_view words) {
  return row.job->exception.occurred ? text(words) : Value{};
}

Value contextual_time(const Row& row, Member, Scratch) {
  return row.job->state <= State::sched ? row.job->duration : job::runtime(*row.job, row.now);
}

template <auto append>
Value job_words(const Row& row, Member, Scratch scratch) {
  scratch.clear();
  append(scratch, *row.job);
  return text(scratch);
}

Value annotation_of(const Row& row, std::string_view branch, Member member, Scratch scratch) {
  std::string path{branch};
  if (!branch.empty() && !member.empty()) path += '.';
  path += member;
  return annotation(row, path, scratch);
}

Value uri(const Row& row, Member, Scratch) {
  return text(row.uri);
}

// As Flux shows them.
std::string_view emoji(State state) {
  switch (state) {
    case State::fresh:
      return "🎁";
    case State::depend:
      return "🛑";
    case State::priority:
      return "🚦";
    case State::sched:
      return "📅";
    case State::run:
      return "🏃";
    case State::cleanup:
      return "🗑";
    case State::inactive:
      return "💀";
  }
  return {};
}

std::string_view emoji(job::Result result) {
  switch (result) {
    case job::Result::completed:
      return "😀";
    case job::Result::failed:
      return "💩";
    case job::Result::canceled:
      return "💥";
    case job::Result::timeout:
      return "⌛";
    case job::Result::none:
      break;
  }
  return {};
}

std::string_view status_style(const Row& row) {
  switch (job::result(*row.job)) {
    case job::Result::completed:
      return style::kGreen;
    case job::Result::failed:
    case job::Result::timeout:
      return style::kRed;
    case job::Result::canceled:
      return style::kMagenta;
    case job::Result::none:
      break;
  }
  return {};
}

using notation::IdForm;
constexpr std::string_view kById = "id.dec";

constexpr std::array kFields{
    Field<Row>{"id", "JOBID", "job id, base 58", id<IdForm::f58>, nullptr, kById},
    Field<Row>{"id.f58", "JOBID", "job id, base 58", id<IdForm::f58>, nullptr, kById},
    Field<Row>{"id.f58plain", "JOBID", "job id, base 58 in ASCII", id<IdForm::f58plain>, nullptr, kById},
    Field<Row>{"id.dec", "JOBID", "job id, decimal", id<IdForm::dec>},
    Field<Row>{"id.hex", "JOBID", "job id, 0x and hexadecimal", id<IdForm::hex>, nullptr, kById},
    Field<Row>{"id.dothex", "JOBID", "job id, dotted hexadecimal", id<IdForm::dothex>, nullptr, kById},
    Field<Row>{"id.kvs", "JOBID", "key of the job in the KVS", id<IdForm::kvs>, nullptr, kById},
    Field<Row>{"id.emoji", "JOBID", "job id, in emoji", id<IdForm::emoji>, nullptr, kById},
    Field<Row>{"id.words", "JOBID", "job id, in words", id<IdForm::words>, nullptr, kById},
    Field<Row>{"userid", "UID", "number of the user",
               [](const Row& row, Member, Scratch) -> Value { return std::int64_t{row.job->userid}; }},
    Field<Row>{"username", "USER", "name of the user",
               [](const Row& row, Member, Scratch) { return text(user_name(row.job->userid)); }},
    Field<Row>{"urgency", "URG", "urgency, 0 to 31",
               [](const Row& row, Member, Scratch) -> Value { return std::int64_t{row.job->urgency}; }},
    Field<Row>{"priority", "PRI", "priority, once it has one",
               [](const Row& row, Member, Scratch) -> Value {
                 return has_priority(*row.job) ? Value{std::int64_t{row.job->priority}} : Value{};
               }},
    Field<Row>{"state", "STATE", "state: DEPEND, PRIORITY, SCHED, RUN, CLEANUP, INACTIVE",
               [](const Row& row, Member, Scratch) { return text(name(row.job->state)); }, status_style},
    Field<Row>{"state_single", "S", "state as one letter",
               [](const Row& row, Member, Scratch) { return text(abbreviation(row.job->state)); },
               status_style},
    Field<Row>{"state_emoji", "STATE", "state as an emoji",
               [](const Row& row, Member, Scratch) { return text(emoji(row.job->state)); }},
    Field<Row>{"status", "STATUS", "state, or the result once inactive",
               [](const Row& row, Member, Scratch) { return text(job::status(*row.job)); }, status_style},
    Field<Row>{"status_abbrev", "ST", "status in one or two letters",
               [](const Row& row, Member, Scratch) { return text(job::status_abbreviation(*row.job)); },
               status_style},
    Field<Row>{"status_emoji", "STATUS", "status as an emoji",
               [](const Row& row, Member, Scratch) {
                 const job::Result result = job::result(*row.job);
                 return text(result == job::Result::none ? emoji(row.job->state) : emoji(result));
               }},
    Field<Row>{"result", "RESULT", "result: COMPLETED, FAILED, CANCELED, TIMEOUT",
               [](const Row& row, Member, Scratch) { return text(name(job::result(*row.job))); },
               status_style},
    Field<Row>{"result_abbrev", "RS", "result in one or two letters",
               [](const Row& row, Member, Scratch) { return text(abbreviation(job::result(*row.job))); },
               status_style},
    Field<Row>{"result_emoji", "RESULT", "result as an emoji",
               [](const Row& row, Member, Scratch) { return text(emoji(job::result(*row.job))); }},
    Field<Row>{"name", "NAME", "name of the job", words_of<&Job::name>},
    Field<Row>{"cwd", "CWD", "working directory", words_of<&Job::cwd>},
    Field<Row>{"queue", "QUEUE", "queue", words_of<&Job::queue>},
    Field<Row>{"bank", "BANK", "bank", words_of<&Job::bank>},
    Field<Row>{"project", "PROJECT", "project", words_of<&Job::project>},
    Field<Row>{"qos", "QOS", "quality of service", words_of<&Job::qos>},
    Field<Row>{"ntasks", "NTASKS", "number of tasks",
               [](const Row& row, Member, Scratch) { return count(row.job->ntasks); }},
    Field<Row>{"ncores", "NCORES", "number of cores",
               [](const Row& row, Member, Scratch) { return count(size_of(*row.job).ncores); }},
    Field<Row>{"ngpus", "NGPUS", "number of GPUs",
               [](const Row& row, Member, Scratch) { return count(size_of(*row.job).ngpus); }},
    Field<Row>{"duration", "DURATION", "time limit, seconds", moment<&Job::duration>},
    Field<Row>{"nnodes", "NNODES", "number of nodes",
               [](const Row& row, Member, Scratch) { return count(size_of(*row.job).nnodes); }},
    Field<Row>{"ranks", "RANKS", "ranks of its nodes", words_of<&Job::ranks>},
    Field<Row>{"nodelist", "NODELIST", "names of its nodes", words_of<&Job::nodelist>},
    Field<Row>{"success", "SUCCESS", "whether it completed, True or False",
               [](const Row& row, Member, Scratch) {
                 const job::Result result = job::result(*row.job);
                 return result == job::Result::none ? Value{} : truth(result == job::Result::completed);
               }},
    Field<Row>{"waitstatus", "WSTATUS", "status as of waitpid(2)",
               [](const Row& row, Member, Scratch) {
                 return row.job->finished ? Value{std::int64_t{row.job->wait_status}} : Value{};
               }},
    Field<Row>{"returncode", "RC", "exit code, or minus the signal",
               [](const Row& row, Member, Scratch) {
                 const auto code = return_code(*row.job);
                 return code ? Value{std::int64_t{*code}} : Value{};
               }},
    Field<Row>{"exception.occurred", "EXCEPTION-OCCURRED", "whether there was an exception",
               [](const Row& row, Member, Scratch) {
                 const bool occurred = row.job->exception.occurred;
                 return occurred || row.job->state == State::inactive ? truth(occurred) : Value{};
               }},
    Field<Row>{"exception.severity", "EXCEPTION-SEVERITY", "severity of the exception",
               [](const Row& row, Member, Scratch) {
                 const job::Exception& exception = row.job->exception;
                 return exception.occurred ? Value{std::int64_t{exception.severity}} : Value{};
               }},
    Field<Row>{"exception.type", "EXCEPTION-TYPE", "type of the exception",
               [](const Row& row, Member, Scratch) { return exception_text(row, row.job->exception.type); }},
    Field<Row>{"exception.note", "EXCEPTION-NOTE", "what the exception says",
               [](const Row& row, Member, Scratch) { return exception_text(row, row.job->exception.note); }},
    Field<Row>{"t_submit", "T_SUBMIT", "time of submission", moment<&Job::t_submit>},
    Field<Row>{"t_depend", "T_DEPEND", "time it entered DEPEND", moment<&Job::t_depend>},
    Field<Row>{"t_priority", "T_PRIORITY", "time it entered PRIORITY", moment<&Job::t_priority>},
    Field<Row>{"t_sched", "T_SCHED", "time it entered SCHED", moment<&Job::t_sched>},
    Field<Row>{"t_run", "T_RUN", "time it entered RUN", moment<&Job::t_run>},
    Field<Row>{"t_cleanup", "T_CLEANUP", "time it entered CLEANUP", moment<&Job::t_cleanup>},
    Field<Row>{"t_inactive", "T_INACTIVE", "time it became inactive", moment<&Job::t_inactive>},
    Field<Row>{"t_remaining", "T_REMAINING", "seconds until it expires, while it runs",
               [](const Row& row, Member, Scratch) -> Value { return remaining(*row.job, row.now); }},
    Field<Row>{"runtime", "RUNTIME", "seconds it ran",
               [](const Row& row, Member, Scratch) -> Value { return job::runtime(*row.job, row.now); }},
    Field<Row>{"expiration", "EXPIRATION", "time its resources expire", moment<&Job::expiration>},
    Field<Row>{"dependencies", "DEPENDENCIES", "what it still depends on",
               [](const Row& row, Member, Scratch scratch) {
                 scratch.clear();
                 append_dependencies(scratch, *row.job, row.now);
                 return text(scratch);
               }},
    Field<Row>{"contextual_info", "INFO", "what matters in its state: dependencies, estimate, reason, nodes",
               [](const Row& row, Member, Scratch scratch) {
                 scratch.clear();
                 append_contextual_info(scratch, row);
                 return text(scratch);
               }},
    Field<Row>{"contextual_time", "TIME", "time limit while it waits, then the time it ran", contextual_time},
    Field<Row>{"inactive_reason", "INACTIVE-REASON", "how it ended", job_words<append_inactive_reason>},
    Field<Row>{"annotations", "ANNOTATIONS", "all annotations, JSON",
               [](const Row& row, Member, Scratch scratch) { return annotation(row, {}, scratch); }},
    Field<Row>{"annotations.sched.t_estimate", "T_ESTIMATE", "estimated time of its start",
               [](const Row& row, Member, Scratch s) { return annotation(row, "sched.t_estimate", s); }},
    Field<Row>{"annotations.sched.reason_pending", "REASON", "why it has not started",
               [](const Row& row, Member, Scratch s) { return annotation(row, "sched.reason_pending", s); }},
    Field<Row>{
        "annotations.sched.resource_summary", "RESOURCES", "what it was given",
        [](const Row& row, Member, Scratch s) { return annotation(row, "sched.resource_summary", s); }},
    Field<Row>{"annotations.", "*", "one annotation",
               [](const Row& row, Member key, Scratch s) { return annotation_of(row, {}, key, s); }},
    Field<Row>{"sched", "SCHED", "the scheduler's annotations, JSON",
               [](const Row& row, Member, Scratch s) { return annotation(row, "sched", s); }},
    Field<Row>{"sched.t_estimate", "T_ESTIMATE", "as annotations.sched.t_estimate",
               [](const Row& row, Member, Scratch s) { return annotation(row, "sched.t_estimate", s); }},
    Field<Row>{"sched.reason_pending", "REASON", "as annotations.sched.reason_pending",
               [](const Row& row, Member, Scratch s) { return annotation(row, "sched.reason_pending", s); }},
    Field<Row>{
        "sched.resource_summary", "RESOURCES", "as annotations.sched.resource_summary",
        [](const Row& row, Member, Scratch s) { return annotation(row, "sched.resource_summary", s); }},
    Field<Row>{"sched.", "", "one of the scheduler's annotations",
               [](const Row& row, Member key, Scratch s) { return annotation_of(row, "sched", key, s); }},
    Field<Row>{"user", "USER", "the user's annotations, JSON",
               [](const Row& row, Member, Scratch s) { return annotation(row, "user", s); }},
    Field<Row>{"user.", "", "one of the user's annotations",
               [](const Row& row, Member key, Scratch s) { return annotation_of(row, "user", key, s); }},
    Field<Row>{"uri", "URI", "store of the instance inside it", uri},
    Field<Row>{"uri.local", "URI", "as uri", uri},
};

constexpr std::array kFormats{
    NamedFormat{"default", "what runs and waits",
                "{id.f58:>12} ?:{queue:<8.8} +:{username:<8} {name:<10.10+} {status_abbrev:>2.2} {ntasks:>6} "
                "{nnodes:>6h} {contextual_time!F:>8h} {contextual_info}"},
    NamedFormat{"long", "with the time of submission and the time left",
                "{id.f58:>12} ?:{queue:<8.8} +:{username:<8} {name:<10.10+} {status:>9.9} {ntasks:>6} "
                "{nnodes:>6h} {t_submit!d:%b%d %R::>12} {t_remaining!F:>12h} {contextual_time!F:>8h} "
                "{contextual_info}"},
    NamedFormat{"deps", "urgency, priority and dependencies",
                "{id.f58:>12} ?:{queue:<8.8} {name:<10.10+} {urgency:<3} {priority:<12} {state:<8.8} "
                "{dependencies}"},
    NamedFormat{"start", "when jobs that wait may start",
                "{id.f58:>12} ?:{queue:<8.8} +:{username:<8} {name:<10.10+} {ntasks:>6} {priority:>10} "
                "{sched.t_estimate!D:>19h} {contextual_time!F:>8h} {sched.reason_pending:h}"},
    NamedFormat{"endreason", "when and how jobs ended",
                "{id.f58:>12} ?:{queue:<8.8} +:{username:<8} {name:<10.10+} {status_abbrev:>2.2} "
                "{t_inactive!d:%b%d %R::>12h} {inactive_reason}"},
};

}  // namespace

std::span<const Field<JobRow>> job_fields() {
  return kFields;
}

bool wants_instances(const Format<JobRow>& format, std::span<const SortKey> keys) {
  const auto is_uri = [](std::string_view name) { return name == "uri" || name == "uri.local"; };
  return format.shows("uri") || format.shows("uri.local") ||
         std::any_of(keys.begin(), keys.end(),
                     [&](const SortKey& key) { return is_uri(kFields.at(key.field).name); });
}

std::span<const NamedFormat> job_formats() {
  return kFormats;
}

}  // namespace fq::cli
