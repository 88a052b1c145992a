#include "exec/interrupt.h"

#include <atomic>

namespace fq::exec {
namespace {

std::atomic<int> interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

void count(int) {
  interrupts.fetch_add(1, std::memory_order_relaxed);
}

void handle_with(void (*handler)(int), struct sigaction* previous_int, struct sigaction* previous_term) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: what sleeps wakes up
  ::sigaction(SIGINT, &action, previous_int);
  ::sigaction(SIGTERM, &action, previous_term);
}

bool is_counted() {
  struct sigaction current {};
  return ::sigaction(SIGTERM, nullptr, &current) == 0 && current.sa_handler == count;
}

}  // namespace

InterruptCounter::InterruptCounter() {
  interrupts = 0;
  handle_with(count, &previous_int_, &previous_term_);
}

InterruptCounter::~InterruptCounter() {
  ::sigaction(SIGINT, &previous_int_, nullptr);
  ::sigaction(SIGTERM, &previous_term_, nullptr);
}

int InterruptCounter::take() {
  return interrupts.exchange(0, std::memory_order_relaxed);
}

UncountedInterrupts::UncountedInterrupts() : counted_(is_counted()) {
  if (counted_) handle_with(SIG_DFL, nullptr, nullptr);
}

UncountedInterrupts::~UncountedInterrupts() {
  if (counted_) handle_with(count, nullptr, nullptr);
}

}  // namespace fq::exec
