#include "process/signals/interrupt.h"

#include <atomic>

namespace fq::process {
namespace {

std::atomic<int> interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

void count(int) {
  interrupts.fetch_add(1, std::memory_order_relaxed);
}

void handle(int signal, void (*handler)(int), struct sigaction* previous) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: what sleeps wakes up
  ::sigaction(signal, &action, previous);
}

bool is_counted(int signal) {
  struct sigaction current {};
  return ::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == count;
}

}  // namespace

InterruptCounter::InterruptCounter(Counted counted) : counted_(counted) {
  interrupts = 0;
  handle(SIGINT, count, &previous_int_);
  if (counted_ == Counted::int_and_term) handle(SIGTERM, count, &previous_term_);
}

InterruptCounter::~InterruptCounter() {
  ::sigaction(SIGINT, &previous_int_, nullptr);
  if (counted_ == Counted::int_and_term) ::sigaction(SIGTERM, &previous_term_, nullptr);
}

int InterruptCounter::take() {
  return interrupts.exchange(0, std::memory_order_relaxed);
}

UncountedInterrupts::UncountedInterrupts() : int_(is_counted(SIGINT)), term_(is_counted(SIGTERM)) {
  if (int_) handle(SIGINT, SIG_DFL, nullptr);
  if (term_) handle(SIGTERM, SIG_DFL, nullptr);
}

UncountedInterrupts::~UncountedInterrupts() {
  if (int_) handle(SIGINT, count, nullptr);
  if (term_) handle(SIGTERM, count, nullptr);
}

}  // namespace fq::process
