#include "notation/signal.h"

#include <gtest/gtest.h>

#include "support/error_text.h"

namespace fq::notation {
namespace {

TEST(Signal, by_name_or_number) {
  // With SIG or without; else what is near.
  EXPECT_EQ(parse_signal("TERM"), 15);
  EXPECT_EQ(parse_signal("SIGKILL"), 9);
  EXPECT_EQ(parse_signal("10"), 10);
  EXPECT_EQ(parse_signal("64"), 64);
  const auto failure = [](std::string_view text) { return error_text([&] { return parse_signal(text); }); };
  EXPECT_EQ(failure("0"), "'0' is not a signal: expected 1 to 64");
  EXPECT_EQ(failure("SIGTERN"), "'SIGTERN' is not a signal (did you mean 'TERM'?)");
  EXPECT_EQ(failure(""), "'' is not a signal");
}

}  // namespace
}  // namespace fq::notation
