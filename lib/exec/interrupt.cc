#include "exec/interrupt.h"

#include <atomic>

namespace fq::exec {
namespace {

std::atomic<int> interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

void count(int) {
  interrupts.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

InterruptCounter::InterruptCounter() {
  interrupts = 0;
  struct sigaction action {};
  action.sa_handler = count;  // without SA_RESTART: what sleeps wakes up
  ::sigaction(SIGINT, &action, &previous_int_);
  ::sigaction(SIGTERM, &action, &previous_term_);
}

InterruptCounter::~InterruptCounter() {
  ::sigaction(SIGINT, &previous_int_, nullptr);
  ::sigaction(SIGTERM, &previous_term_, nullptr);
}

int InterruptCounter::take() {
  return interrupts.exchange(0, std::memory_order_relaxed);
}

}  // namespace fq::exec
