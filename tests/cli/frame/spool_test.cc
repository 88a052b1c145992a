#include "cli/frame/spool.h"

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

std::string whole(const Spool& spool) {
  std::string text;
  spool.visit([&](std::string_view piece) { text += piece; });
  return text;
}

TEST(Spool, gives_back_what_was_appended_however_long) {
  // 20 MB in lines, most of it in the file; twice, the same.
  Spool spool;
  std::string all;
  for (int i = 0; all.size() < 20'000'000; ++i) {
    const std::string line = std::to_string(i) + " a line of some length\n";
    all += line;
    spool.text() += line;
    spool.relieve();
    ASSERT_LT(spool.text().size(), 5U << 20U);
  }
  EXPECT_TRUE(whole(spool) == all);
  EXPECT_TRUE(whole(spool) == all);
}

TEST(Spool, forgets_all_when_cleared) {
  // What was in the file, too: a query is asked again.
  Spool spool;
  spool.text().assign(5U << 20U, 'x');
  spool.relieve();
  spool.text() += "rest";
  spool.clear();
  EXPECT_EQ(whole(spool), "");
  spool.text() += "anew";
  EXPECT_EQ(whole(spool), "anew");
}

}  // namespace
}  // namespace fq::cli
