#include "base/memory.h"

#include <new>

#include <gtest/gtest.h>

namespace fq {
namespace {

// What operator new does when there is no more.
void run_out_of_memory() {
  std::get_new_handler()();
}

TEST(Memory, the_end_for_want_of_it_is_told) {
  const auto end = [](bool begun) {
    end_when_out_of_memory("fq-demo");
    if (begun) note_change_begun();
    run_out_of_memory();
  };
  EXPECT_EXIT(end(false), testing::ExitedWithCode(1), "^fq-demo: out of memory\n$");
  EXPECT_EXIT(end(true), testing::ExitedWithCode(1),
              "^fq-demo: out of memory; outcome unknown: the change, or a part of it, may be stored\n$");
}

}  // namespace
}  // namespace fq
