// Schedulers that are programs are not asked under the store's lock, while somebody waits for a command: a
// pass that meets jobs that they serve notes that they are to be asked (manager/pass/consultation_due.h), and
// a process of its own asks them.
//
//   reads the store as it is, without the lock, and serves a pass on that, in which the programs speak
//   takes the lock; the pass of that transaction gives each request of theirs what was answered then
//   (sched/decided.h), as far as it holds; what does not is dropped, and they are asked again
//
// One process at a time is at it, for a store. One that dies has changed nothing: what it was to do is still
// noted. A store in memory has no lock: there a pass asks them itself.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "manager/core/change.h"
#include "sched/scheduler.h"

namespace fq::manager {

/// Whether the scheduler of a queue is a program that the passes of this store do not ask themselves.
[[nodiscard]] bool is_consulted(Change& change, const std::string& queue);

/// What it has answered, for the next pass of this change; null where it was not asked, or that is taken.
/// `missed` is called where time alone has changed what is asked for: the next pass is to come soon.
[[nodiscard]] std::unique_ptr<sched::Scheduler> take_answers(Change& change, const std::string& queue,
                                                             std::function<void()> missed);
/// Whether there is that.
[[nodiscard]] bool has_answers(Change& change, const std::string& queue);
/// A pass is over: what has come since they do not know.
void forget_answers(Change& change);

/// Asks all that are to be asked, and carries out what they answer, until there are none; nothing where
/// another process is at it. REQUIRES a store on a disk. Throws Error where the store cannot be read or
/// changed; what a program does wrong suspends its queue.
void consult_schedulers(const Session& session);

}  // namespace fq::manager
