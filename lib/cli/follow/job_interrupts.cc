#include "cli/follow/job_interrupts.h"

#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "cli/frame/output.h"
#include "request/end.h"

namespace fq::cli {

bool JobInterrupts::pass_on(int interrupts, bool running) {
  constexpr double kTwice_s = 2;
  const double now = door_.clock().boot_time();
  const bool again = interrupts > 1 || now - std::exchange(last_, now) < kTwice_s;
  if (running && !again) {
    request::KillRequest interrupt;
    interrupt.ids = {id_};
    interrupt.signal = SIGINT;
    static_cast<void>(door_.ask(interrupt));
    say(command_, fmt::format("the tasks were interrupted; one more ctrl-C within 2 s cancels job {}", id_));
    return false;
  }
  request::RaiseRequest cancel;
  cancel.ids = {id_};
  cancel.note = "interrupted";
  static_cast<void>(door_.ask(cancel));
  return true;
}

}  // namespace fq::cli
