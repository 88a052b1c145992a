#include "job/apply.h"

#include <algorithm>
#include <array>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/resource/resource_set.h"
#include "job/events.h"

namespace fq::job {
namespace {

using document::Event;
using nlohmann::json;

// One event being applied to one job: the context's values with their path, and the refusal that names both.
struct Step {
  Job& job;
  const Event& event;

  [[nodiscard]] JsonAt context() const {
    return JsonAt{event.context, fmt::format("event {}", quote(event.name))};
  }
  [[nodiscard]] Error refused() const {
    return error(Kind::invalid, "event {} cannot follow in state {}", quote(event.name), name(job.state));
  }
  void require(bool allowed) const {
    if (!allowed) throw refused();
  }
  void enter(State state) const {
    job.state = state;
    switch (state) {
      case State::depend:
        job.t_depend = event.timestamp;
        break;
      case State::priority:
        job.t_priority = event.timestamp;
        break;
      case State::sched:
        job.t_sched = event.timestamp;
        break;
      case State::run:
        job.t_run = event.timestamp;
        break;
      case State::cleanup:
        job.t_cleanup = event.timestamp;
        break;
      case State::inactive:
        job.t_inactive = event.timestamp;
        break;
      case State::fresh:
        break;
    }
  }
  /// What was decided about the job's priority no longer holds: it is decided anew.
  void reprioritize() const {
    if (job.state == State::sched) enter(State::priority);
  }
};

void on_submit(const Step& s) {
  s.require(s.job.state == State::fresh && s.job.t_submit == 0);
  const JsonAt context = s.context();
  s.job.userid = static_cast<std::uint32_t>(context.at("userid").as_integer(0, kPriorityMax));
  s.job.urgency = static_cast<std::uint8_t>(context.at("urgency").as_integer(0, kUrgencyExpedite));
  if (const auto flags = context.find("flags")) {
    s.job.flags = static_cast<std::uint32_t>(flags->as_integer(0, kPriorityMax));
  }
  if (const auto number = context.find("number"))
    s.job.number =
        static_cast<std::uint64_t>(number->as_integer(0, std::numeric_limits<std::int64_t>::max()));
  s.job.t_submit = s.event.timestamp;
  if (!context.find("version")) s.enter(State::depend);  // logs from before there was a validate event
}

void on_validate(const Step& s) {
  s.require(s.job.state == State::fresh);
  s.enter(State::depend);
}

void on_dependency_add(const Step& s) {
  s.require(s.job.state == State::fresh || s.job.state == State::depend);
  s.job.dependencies.push_back(s.context().at("description").as_string());
}

void on_dependency_remove(const Step& s) {
  const std::string& description = s.context().at("description").as_string();
  const auto at = std::find(s.job.dependencies.begin(), s.job.dependencies.end(), description);
  if (at == s.job.dependencies.end()) {
    throw error(Kind::invalid, "event 'dependency-remove': the job has no dependency {}", quote(description));
  }
  s.job.dependencies.erase(at);
}

void on_depend(const Step& s) {
  s.require(s.job.state == State::depend);
  if (s.event.timestamp > s.job.t_depend) s.job.t_eligible = s.event.timestamp;
  s.enter(State::priority);
}

void on_priority(const Step& s) {
  s.require(s.job.state == State::priority || s.job.state == State::sched);
  s.job.priority = static_cast<std::uint32_t>(s.context().at("priority").as_integer(0, kPriorityMax));
  if (s.job.state == State::priority) s.enter(State::sched);
}

void on_urgency(const Step& s) {
  s.job.urgency = static_cast<std::uint8_t>(s.context().at("urgency").as_integer(0, kUrgencyExpedite));
  s.reprioritize();
}

void on_alloc(const Step& s) {
  s.require(s.job.state == State::sched);
  if (s.event.context.is_object()) {
    const JsonAt context = s.context();
    if (const auto annotations = context.find("annotations")) {
      json kept = annotations->object().value();
      kept.erase("user");  // as it was then; the memo events tell it in full
      s.job.annotations = kept.empty() ? std::string{} : dump_json(kept);
    }
    if (const auto boot_id = context.find("boot_id")) s.job.boot_id = boot_id->as_string();
  }
  s.job.allocated = true;
  // The shells of one that was requeued are counted on: what is left of earlier ones is told apart.
  ++s.job.attempt;
  s.job.preempted_by = {};
  s.enter(State::run);
}

void on_start(const Step& s) {
  // The shells may report their start after an exception has moved the job on.
  s.require(s.job.allocated && is_running(s.job.state));
  s.job.started = true;
}

int status_of(const Step& s) {
  return static_cast<int>(s.context().at("status").as_integer(INT32_MIN, INT32_MAX));
}

void on_prolog_start(const Step& s) {
  s.require(s.job.allocated && is_running(s.job.state));
  ++s.job.prologs;
}

void on_prolog_finish(const Step& s) {
  s.require(s.job.prologs > 0);
  if (status_of(s) != 0) s.job.prolog_failed = true;
  --s.job.prologs;
}

void on_epilog_start(const Step& s) {
  s.require(s.job.allocated && is_running(s.job.state));
  ++s.job.epilogs;
}

void on_epilog_finish(const Step& s) {
  s.require(s.job.epilogs > 0);
  static_cast<void>(status_of(s));
  s.job.epilog_done = --s.job.epilogs == 0;
}

void on_shell_restart(const Step& s) {
  s.require(s.job.state == State::run || s.job.epilogs > 0);
  s.job.attempt = static_cast<std::uint32_t>(s.context().at("attempt").as_integer(1, kPriorityMax));
  s.job.boot_id = s.context().at("boot_id").as_string();
}

void on_preempt(const Step& s) {
  s.require(s.job.state == State::run);
  const JsonAt context = s.context();
  const std::string& mode = context.at("mode").as_string();
  const std::array modes{Preemption::requeue, Preemption::cancel};
  const auto known =
      std::find_if(modes.begin(), modes.end(), [&](Preemption each) { return name(each) == mode; });
  if (known == modes.end()) throw error(Kind::invalid, "event 'preempt': unknown mode {}", quote(mode));
  s.job.preemption = *known;
  s.job.preempted_by = notation::JobId{context.at("by").value().get<std::uint64_t>()};
  s.job.t_preempt = s.event.timestamp + context.at("grace").as_number();
}

void on_requeue(const Step& s) {
  s.require(s.job.state == State::run && (s.job.preemption == Preemption::requeue || s.job.prolog_failed));
  s.job.requeues = true;
  s.job.t_requeue = s.event.timestamp;
  if (const auto number = s.event.context.is_object() ? s.context().find("number") : std::nullopt)
    s.job.number =
        static_cast<std::uint64_t>(number->as_integer(0, std::numeric_limits<std::int64_t>::max()));
  s.enter(State::cleanup);
}

void on_finish(const Step& s) {
  s.require(is_running(s.job.state) && !s.job.finished);
  s.job.wait_status = static_cast<std::int32_t>(s.context().at("status").as_integer(INT32_MIN, INT32_MAX));
  s.job.started = false;
  s.job.finished = true;
  // It has done its work.
  if (s.job.wait_status == 0) s.job.requeues = false;
  if (s.job.state == State::run) s.enter(State::cleanup);
}

void on_resource_update(const Step& s) {
  const auto expiration = s.context().find("expiration");
  if (!expiration) return;
  s.job.expiration = expiration->as_number();
  s.job.expiration_moved = true;
}

void on_exception(const Step& s) {
  const JsonAt context = s.context();
  // How a job ended that has finished is decided, unless it is to run anew.
  const bool over = s.job.finished && !s.job.requeues;
  Exception exception{true,
                      static_cast<std::uint8_t>(context.at("severity").as_integer(0, 7)),
                      context.at("type").as_string(),
                      {}};
  if (const auto note = context.find("note")) exception.note = note->as_string();
  const bool fatal = exception.severity == 0;
  if (fatal && over) return;
  // Of equal ones the first: it is the cause of the others.
  const bool is_worst = !s.job.exception.occurred || exception.severity < s.job.exception.severity;
  if (is_worst) s.job.exception = std::move(exception);
  if (fatal) s.job.requeues = false;
  if (fatal && s.job.state < State::cleanup) s.enter(State::cleanup);
}

void on_release(const Step& s) {
  s.require(s.job.allocated);
}

// What a job knows of an allocation that is over and of its run in it.
void forget_run(Job& job) {
  job.annotations.clear();
  job.started = job.finished = false;
  job.prologs = job.epilogs = 0;
  job.epilog_done = job.prolog_failed = false;
  job.wait_status = 0;
  job.t_run = job.t_cleanup = 0;
  job.ranks.clear();
  job.nodelist.clear();
  job.nnodes = job.ncores = job.ngpus = 0;
  job.expiration = 0;
  job.expiration_moved = false;
  job.preemption = Preemption::none;
  job.t_preempt = 0;
}

void on_free(const Step& s) {
  s.require(s.job.state == State::cleanup && s.job.allocated);
  s.job.allocated = false;
  if (!s.job.requeues) return;
  s.job.requeues = false;
  forget_run(s.job);
  s.enter(State::priority);
}

void on_clean(const Step& s) {
  s.require(s.job.state == State::cleanup && !s.job.allocated);
  s.enter(State::inactive);
}

// Objects are merged, as annotations are (RFC 27); everything else replaces what was there, null removes it.
void on_memo(const Step& s) {
  json memo = s.job.memo.empty() ? json::object() : parse_json(s.job.memo, "memo");
  memo.merge_patch(s.context().object().value());
  s.job.memo = memo.empty() ? std::string{} : dump_json(memo);
}

void on_set_flags(const Step& s) {
  const JsonAt flags = s.context().at("flags").array();
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string& flag = flags.at(i).as_string();
    if (flag == "debug") s.job.flags |= kFlagDebug;
    if (flag == "waitable") s.job.flags |= kFlagWaitable;
    if (flag == "immutable") s.job.flags |= kFlagImmutable;
  }
}

struct Handler {
  std::string_view name;
  void (*run)(const Step&);
};

constexpr std::array kHandlers{
    Handler{"submit", on_submit},
    Handler{"validate", on_validate},
    Handler{"depend", on_depend},
    Handler{"priority", on_priority},
    Handler{"alloc", on_alloc},
    Handler{"start", on_start},
    Handler{"finish", on_finish},
    Handler{"prolog-start", on_prolog_start},
    Handler{"prolog-finish", on_prolog_finish},
    Handler{"epilog-start", on_epilog_start},
    Handler{"epilog-finish", on_epilog_finish},
    Handler{"release", on_release},
    Handler{"free", on_free},
    Handler{"clean", on_clean},
    Handler{"exception", on_exception},
    Handler{"dependency-add", on_dependency_add},
    Handler{"dependency-remove", on_dependency_remove},
    Handler{"urgency", on_urgency},
    Handler{"jobspec-update", [](const Step& s) { s.reprioritize(); }},
    Handler{"flux-restart", [](const Step& s) { s.reprioritize(); }},
    Handler{"resource-update", on_resource_update},
    Handler{"shell-restart", on_shell_restart},
    Handler{"preempt", on_preempt},
    Handler{"requeue", on_requeue},
    Handler{"memo", on_memo},
    Handler{"set-flags", on_set_flags},
};

}  // namespace

void apply(Job& job, const Event& event) {
  if (job.t_submit == 0 && event.name != "submit") {
    throw error(Kind::invalid, "the first event is {}, but a job begins with 'submit'", quote(event.name));
  }
  for (const Handler& handler : kHandlers) {
    if (handler.name == event.name) return handler.run(Step{job, event});
  }
}

Job replay(notation::JobId id, std::string_view jobspec_text, std::string_view eventlog, std::string_view r) {
  auto jobspec = document::Jobspec::parse(jobspec_text);
  Job job;
  job.id = id;
  for (const Event& event : document::decode_eventlog(eventlog)) {
    apply(job, event);
    if (event.name == events::kJobspecUpdate) jobspec.apply_update(event.context);
    if (event.name == "alloc" && !r.empty()) assign(job, document::ResourceSet::parse(r));
  }
  describe(job, jobspec);
  return job;
}

document::Jobspec effective_jobspec(std::string_view jobspec_text, std::string_view eventlog) {
  auto jobspec = document::Jobspec::parse(jobspec_text);
  for (const Event& event : document::decode_eventlog(eventlog)) {
    if (event.name == events::kJobspecUpdate) jobspec.apply_update(event.context);
  }
  return jobspec;
}

}  // namespace fq::job
