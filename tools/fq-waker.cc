// fq-waker: sleeps while a store has running jobs or a timer, and runs fq-tick when one needs attention. It
// is started by fq alone and links no more than it must, for it may sleep for weeks.

#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "base/memory.h"
#include "meeting/waker.h"

int main(int argc, char** argv) {
  if (argc != 3 || std::strcmp(argv[1], "--store") != 0) {
    std::fprintf(stderr, "fq-waker: expected --store DIR: it is started by fq alone\n");
    return 2;
  }
  fq::end_when_out_of_memory("fq-waker");
  try {
    return fq::meeting::run_waker(argv[2]);
  } catch (const fq::Error& failure) {
    std::fprintf(stderr, "fq-waker: %s\n", failure.what());
    return fq::exit_code(failure.kind());
  }
}
