// The store's time never goes back and never freezes, whatever is done to the system's clock.

#include "records/store_time.h"

#include <gtest/gtest.h>

#include "records/keys.h"
#include "support/manual_clock.h"
#include "support/memory_reader.h"

namespace fq::records {
namespace {

using test::ManualClock;
using test::MemoryReader;

constexpr double kStart = 1'800'000'000;

/// A store whose writers keep its anchor.
class StoreTimes : public ::testing::Test {
 protected:
  StoreTime read() { return store_time(MemoryReader{values_}, clock_); }
  double write() {
    const StoreTime time = read();
    if (time.new_anchor) values_[std::string{key::kClock}] = *time.new_anchor;
    return time.now - kStart;
  }
  void set(double after_start) { clock_.set(kStart + after_start); }

  ManualClock clock_{kStart};
  std::map<std::string, std::string> values_;
};

TEST_F(StoreTimes, is_the_clock_while_nobody_sets_it) {
  // And one anchor serves.
  EXPECT_EQ(write(), 0);
  clock_.advance(5);
  EXPECT_EQ(write(), 5);
  EXPECT_FALSE(read().new_anchor);
  EXPECT_EQ(read().lead, 0);
}

TEST_F(StoreTimes, goes_on_with_boot_time_when_the_clock_is_set_back) {
  // The lead is what a time read from that clock lacks.
  write();
  clock_.advance(5);
  set(-3600);
  EXPECT_EQ(write(), 5);
  EXPECT_EQ(read().lead, 3605);
  clock_.advance(5);
  EXPECT_EQ(write(), 10);
  set(10);
  EXPECT_EQ(write(), 10);
  EXPECT_EQ(read().lead, 0);
}

TEST_F(StoreTimes, follows_a_clock_that_is_set_forward) {
  // It stays there when the clock comes back.
  write();
  set(3600);
  EXPECT_EQ(write(), 3600);
  set(0);
  clock_.advance(5);
  EXPECT_EQ(write(), 3605);
}

TEST_F(StoreTimes, an_anchor_of_another_boot_holds_only_while_it_agrees_with_the_clock) {
  // Boot time began anew; what the clock says counts.
  write();
  values_[std::string{key::kClock}] = "1900000000000000 another-boot";
  const StoreTime time = read();
  EXPECT_EQ(time.now, kStart);
  ASSERT_TRUE(time.new_anchor);
  EXPECT_EQ(time.lead, 0);
}

TEST_F(StoreTimes, an_anchor_that_cannot_be_read_is_made_anew) {
  // Nobody is refused for it.
  for (const std::string damaged : {"", " ", "x boot", "12", "99999999999999999999 boot"}) {
    values_[std::string{key::kClock}] = damaged;
    const StoreTime time = read();
    EXPECT_EQ(time.now, kStart) << damaged;
    EXPECT_TRUE(time.new_anchor) << damaged;
  }
}

TEST_F(StoreTimes, the_boot_time_of_a_time_is_when_it_will_be) {
  // Whatever the clock says by then.
  write();
  set(-3600);
  const double at = read().boot_time_of(kStart + 60);
  EXPECT_EQ(at - clock_.boot_time(), 60);
  clock_.advance(60);
  EXPECT_EQ(read().now, kStart + 60);
}

}  // namespace
}  // namespace fq::records
