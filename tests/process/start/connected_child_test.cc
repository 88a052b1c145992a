// A program that is asked once: what it reads, what it says, and how it ends.

#include "process/start/connected_child.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace fq::process {
namespace {

Answer ask_shell(const std::string& script, std::string_view input = {}) {
  return ask_program({"sh", "-c", script}, input);
}

TEST(AskProgram, an_answer_is_what_it_wrote_and_how_it_ended) {
  const Answer answer = ask_shell("cat; echo why >&2; exit 3", "text");
  EXPECT_EQ(answer.output, "text");
  EXPECT_EQ(answer.errors, "why\n");
  EXPECT_EQ(answer.code, 3);
  EXPECT_EQ(ask_shell("kill -KILL $$").code, 128 + 9);
}

TEST(AskProgram, neither_side_blocks_the_other) {
  // More than sockets and pipes hold goes both ways at once.
  const std::string much(3'000'000, 'x');
  const Answer answer = ask_shell("head -c 1000000 /dev/zero >&2; cat", much);
  EXPECT_EQ(answer.output, much);
  EXPECT_EQ(answer.errors.size(), 1'000'000U);
}

TEST(AskProgram, one_that_does_not_read_still_answers) {
  EXPECT_EQ(ask_shell("exec <&-; echo no", std::string(3'000'000, 'x')).output, "no\n");
}

TEST(AskProgram, one_that_is_not_there_is_said) {
  try {
    static_cast<void>(ask_program({"/nonexistent/program"}, ""));
    FAIL();
  } catch (const Error& failure) {
    EXPECT_STREQ(failure.what(), "cannot run '/nonexistent/program': No such file or directory");
  }
}

}  // namespace
}  // namespace fq::process
