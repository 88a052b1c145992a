#include "base/memory.h"

#include <new>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace fq {
namespace {

// What operator new does when there is no more.
void run_out_of_memory() {
  std::get_new_handler()();
}

TEST(Memory, the_end_for_want_of_it_says_what_is_stored) {
  end_when_out_of_memory("fq-demo");
  EXPECT_EXIT(run_out_of_memory(), testing::ExitedWithCode(1), "^fq-demo: out of memory\n$");
  {
    const ChangeUnderWay change;
    EXPECT_EXIT(run_out_of_memory(), testing::ExitedWithCode(1),
                "^fq-demo: out of memory; outcome unknown: the change, or a part of it, may be stored\n$");
  }
  EXPECT_EXIT(run_out_of_memory(), testing::ExitedWithCode(1),
              "^fq-demo: out of memory; what was stored before stays\n$");
}

TEST(Memory, the_end_waits_for_nobody_to_read) {
  end_when_out_of_memory("fq-demo");
  const auto end_with_full_stderr = [] {
    int ends[2];
    if (::pipe2(ends, O_NONBLOCK) != 0) ::_exit(2);
    const std::string page(4096, 'x');
    while (::write(ends[1], page.data(), page.size()) > 0) {
    }
    if (::fcntl(ends[1], F_SETFL, 0) != 0 || ::dup2(ends[1], STDERR_FILENO) < 0) ::_exit(2);
    ::alarm(60);
    run_out_of_memory();
  };
  EXPECT_EXIT(end_with_full_stderr(), testing::ExitedWithCode(1), "^$");
}

}  // namespace
}  // namespace fq
