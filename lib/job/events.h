// The events of RFC 21 that fq posts, one function each, so that every context has one spelling.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "document/event/eventlog.h"
#include "job/job.h"
#include "notation/fluid.h"

namespace fq::job::events {

// Event names that more than one place asks for.
inline constexpr std::string_view kJobspecUpdate = "jobspec-update";
inline constexpr std::string_view kException = "exception";
inline constexpr std::string_view kFinish = "finish";

using document::Event;

[[nodiscard]] Event submit(double t, std::uint32_t userid, std::uint8_t urgency, std::uint32_t flags,
                           std::uint64_t number = 0);
[[nodiscard]] Event validate(double t);
[[nodiscard]] Event dependency_add(double t, std::string_view description);
[[nodiscard]] Event dependency_remove(double t, std::string_view description);
[[nodiscard]] Event depend(double t);
/// `userid` asks for it.
[[nodiscard]] Event urgency(double t, std::uint32_t userid, std::uint8_t urgency);
/// `updates` is JSON object text: dotted paths into the jobspec → new values.
[[nodiscard]] Event jobspec_update(double t, std::string_view updates);
/// `expiration` is in seconds since the epoch, 0: none.
[[nodiscard]] Event resource_update(double t, double expiration);
/// `memo` is JSON object text.
[[nodiscard]] Event memo(double t, std::string_view memo);
/// `flag` is `debug`, `waitable` or `immutable`.
[[nodiscard]] Event set_flag(double t, std::string_view flag);
[[nodiscard]] Event priority(double t, std::uint32_t priority);
/// `annotations` is JSON object text or empty. `boot_id` names the boot under which the first shell starts;
/// it is fq's own key, as RFC 21 allows.
[[nodiscard]] Event alloc(double t, std::string_view annotations, std::string_view boot_id);
[[nodiscard]] Event start(double t);
/// `description` names what is run; a status is that of wait(2).
[[nodiscard]] Event prolog_start(double t, std::string_view description);
[[nodiscard]] Event prolog_finish(double t, std::string_view description, std::int32_t status);
[[nodiscard]] Event epilog_start(double t, std::string_view description);
[[nodiscard]] Event epilog_finish(double t, std::string_view description, std::int32_t status);
/// fq's own: the shell of an earlier attempt was lost before any task started, or while an epilog was run,
/// and is started again.
[[nodiscard]] Event shell_restart(double t, std::uint32_t attempt, std::string_view boot_id);
/// fq's own: what the job holds is taken back for job `by`, `grace_s` seconds from now. `mode` is not none.
[[nodiscard]] Event preempt(double t, notation::JobId by, double grace_s, Preemption mode);
/// fq's own: the job is to end its tasks, or its prolog has failed; it is pending anew once it holds nothing
/// any more. `number` is its new place among all jobs, 0: they are not numbered.
[[nodiscard]] Event requeue(double t, std::uint64_t number);
/// `userid` is left out when it is `kNoUser`: the instance itself raised it.
inline constexpr std::uint32_t kNoUser = 0xFFFFFFFF;
[[nodiscard]] Event exception(double t, std::string_view type, std::uint8_t severity, std::string_view note,
                              std::uint32_t userid = kNoUser);
[[nodiscard]] Event finish(double t, std::int32_t wait_status);
/// All resources at once: `ranks="all" final=true`.
[[nodiscard]] Event release(double t);
[[nodiscard]] Event free(double t);
[[nodiscard]] Event clean(double t);
/// For jobs with the flag debug: `debug.WHAT`, which changes nothing.
[[nodiscard]] Event debug(double t, std::string_view what);

}  // namespace fq::job::events
