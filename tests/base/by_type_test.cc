#include "base/by_type.h"

#include <string>

#include <gtest/gtest.h>

namespace fq {
namespace {

struct Names {
  std::string first = "none";
};
struct Numbers {
  int first = 0;
};

TEST(ByType, keeps_one_value_of_each_type) {
  // A value is made when it is asked for, stays until all are cleared, and has nothing to do with the others.
  ByType values;
  EXPECT_EQ(values.get<Names>().first, "none");
  values.get<Names>().first = "a";
  values.get<Numbers>().first = 7;
  EXPECT_EQ(values.get<Names>().first, "a");
  EXPECT_EQ(values.get<Numbers>().first, 7);
  values.clear();
  EXPECT_EQ(values.get<Names>().first, "none");
  EXPECT_EQ(values.get<Numbers>().first, 0);
}

}  // namespace
}  // namespace fq
