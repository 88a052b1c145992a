// Urgencies, signals and lists of job ids as they are typed.

#include "cli/frame/job_values.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/frame/run_tool.h"

namespace fq::cli {
namespace {

template <typename Parse>
std::string text_of(Parse parse) {
  try {
    return std::to_string(parse());
  } catch (const Error& failure) {
    return error_line("fq", failure);
  }
}

TEST(JobValues, urgencies) {
  // Three names and the numbers 0 to 31.
  const auto urgency = [](std::string_view text) {
    return text_of([&] { return int{parse_urgency(text)}; });
  };
  EXPECT_EQ(urgency("hold") + urgency("default") + urgency("expedite"), "01631");
  EXPECT_EQ(urgency("0") + " " + urgency("31"), "0 31");
  for (const char* wrong : {"32", "-1", "", "1.0", "Hold", "99999999999999999999"}) {
    EXPECT_EQ(urgency(wrong),
              fmt::format("fq: expected 0 to 31, hold, default or expedite, got '{}'\n", wrong));
  }
}

TEST(JobValues, job_ids_come_once_each_in_order) {
  // The same job in two forms is one.
  using notation::JobId;
  EXPECT_EQ(parse_job_ids({"7", "0x3", "f8", "3"}), (std::vector{JobId{7}, JobId{3}}));
  EXPECT_THROW(static_cast<void>(parse_job_ids({"7", "no id"})), Error);
}

TEST(JobValues, ids_are_said_as_they_were_typed) {
  // What is printed otherwise is replaced, as a word of its own; an id typed as it is printed stays.
  static_cast<void>(parse_job_ids({"123", "0x10", notation::to_f58(notation::JobId{7})}));
  const auto printed = [](std::uint64_t id) { return notation::to_f58(notation::JobId{id}); };
  EXPECT_EQ(as_typed("job " + printed(123) + " does not exist"), "job 123 does not exist");
  EXPECT_EQ(as_typed("after-start=" + printed(16) + ": job " + printed(16) + ", " + printed(7)),
            "after-start=0x10: job 0x10, " + printed(7));
  EXPECT_EQ(as_typed(printed(123) + "x"), printed(123) + "x");
  EXPECT_EQ(
      text_of([] { return parse_job_id("xyz").value; }),
      "fq: invalid job id 'xyz': expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, "
      "emoji or a decimal number\n");
}

}  // namespace
}  // namespace fq::cli
