// The waker: one sleeping process per store while a job runs or a timer is set. It runs `fq-tick` when a
// shell has died or the next timer is due, and does nothing else. STORE/deadline tells it what to wait for:
//
//   <seconds since the epoch>   the next timer (jobs may run too)
//   running                     jobs run, no timer is set
//   idle                        neither: the waker ends
//
// one line, padded with spaces to a fixed length, rewritten in place under the store lock. The waker holds
// the flock on STORE/waker; it gives that up only while it holds STORE/lock and `idle` stands in the file, so
// that a committer who finds the flock held can rely on being seen.

#pragma once

#include <optional>
#include <string>

namespace fq::exec {

/// Writes STORE/deadline if that changes it. REQUIRES the store lock.
void set_deadline(const std::string& store_dir, std::optional<double> timer, bool running);

/// True when STORE/deadline asks for a waker and none is there. REQUIRES the store lock: without it a waker
/// that is about to end looks alive.
[[nodiscard]] bool waker_needed(const std::string& store_dir);

/// Whether a waker holds its lock right now.
[[nodiscard]] bool waker_alive(const std::string& store_dir);

/// Starts `fq-waker --store DIR` detached unless one is there. The lock need not be held. `program` is
/// find_program("fq-waker") when empty. Throws Error when it cannot be run.
void start_waker(const std::string& store_dir, const std::string& program = {});

/// The waker's whole life; returns its exit code. `tick` is find_program("fq-tick") when empty. Ends when the
/// store is idle, when another waker is there, and when the store directory is gone.
int run_waker(const std::string& store_dir, const std::string& tick = {});

}  // namespace fq::exec
