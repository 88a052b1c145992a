// The waker: one sleeping process per store while a job runs or a timer is set. It runs `fq-tick` when a
// shell has died, the next timer is due or, while one is set, somebody has set the system's clock, and does
// nothing else. STORE/deadline tells it what to wait for:
//
//   <seconds>   of boot time: the next timer (jobs may run too)
//   running     jobs run, no timer is set
//   idle        neither: the waker ends
//
// one line, padded with spaces to a fixed length, rewritten in place under the store lock. The waker holds
// the flock on STORE/waker; it gives that up only while it holds STORE/lock and `idle` stands in the file, so
// that a committer who finds the flock held can rely on being seen. What it starts inherits its limits:
// STORE/waker has the word `unclean` when these are not the store's own. Whoever can start a clean one then
// unlinks the file, which ends the waker that had it.

#pragma once

#include <optional>
#include <string>

#include "base/clock.h"

namespace fq::meeting {

/// Writes STORE/deadline if that changes it; `timer` is boot time. REQUIRES the store lock.
void set_deadline(const std::string& store_dir, std::optional<double> timer, bool running);

/// Whether the waker that STORE/deadline asks for is there.
enum class WakerNeed { none, missing, unclean };
/// REQUIRES the store lock: without it a waker that is about to end looks alive.
[[nodiscard]] WakerNeed waker_need(const std::string& store_dir);

/// Whether a waker holds its lock right now.
[[nodiscard]] bool waker_alive(const std::string& store_dir);

/// Starts `fq-waker --store DIR` detached unless one is there; a `clean` one also in place of an unclean one.
/// The lock need not be held. `program` is find_program("fq-waker") when empty. Throws Error when it cannot
/// be run.
void start_waker(const std::string& store_dir, bool clean, const std::string& program = {});

/// The waker's whole life; returns its exit code. `tick` is find_program("fq-tick") when empty. Ends when the
/// store is idle, when another waker is there or takes its place, and when the store directory is gone.
int run_waker(const std::string& store_dir, const std::string& tick = {});
/// The same by a `clock` of which only the boot time is read.
int run_waker(const std::string& store_dir, const std::string& tick, const Clock& clock);

}  // namespace fq::meeting
