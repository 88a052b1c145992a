// Interrupts of a command that waits for a job: they are passed on to the job instead of ending the command.

#pragma once

#include <csignal>
#include <cstdint>

namespace fq::process {

/// While it lives, INT and, where it is to be, TERM are counted instead of ending this process, and interrupt
/// what sleeps. One at a time in a process.
class InterruptCounter {
 public:
  enum class Counted : std::uint8_t { int_alone, int_and_term };
  explicit InterruptCounter(Counted counted);
  ~InterruptCounter();
  InterruptCounter(const InterruptCounter&) = delete;
  InterruptCounter& operator=(const InterruptCounter&) = delete;

  /// How many came since the last call.
  [[nodiscard]] int take();

 private:
  Counted counted_;
  struct sigaction previous_int_ {};
  struct sigaction previous_term_ {};
};

/// While it lives, what is counted ends this process again although there is an InterruptCounter: nothing is
/// done yet that they could mean instead.
class UncountedInterrupts {
 public:
  UncountedInterrupts();
  ~UncountedInterrupts();
  UncountedInterrupts(const UncountedInterrupts&) = delete;
  UncountedInterrupts& operator=(const UncountedInterrupts&) = delete;

 private:
  bool int_, term_;
};

}  // namespace fq::process
