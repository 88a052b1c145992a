// Banks, users in them and charges come back as they were stored, and damage is seen.

#include "records/account_record.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "records/keys.h"
#include "records/tallies.h"
#include "records/turns.h"

namespace fq::records {
namespace {

priority::Usage usage() {
  return priority::Usage({1700000000.25, {1.5, 2, 0, 4e9}, {16, 2, 1, 0}, {1e12, 0.125, 3, 4}});
}

TEST(AccountRecord, banks_and_associations_come_back) {
  priority::Bank bank;
  bank.name = "physics";
  bank.parent = "root";
  bank.shares = 2.5;
  bank.closed = true;
  bank.limits = {1, 2, 3, 4, 5};
  bank.usage = usage();
  bank.running = 7;
  bank.members = 3;
  bank.member_shares = 4.25;
  const priority::Bank read = decode_bank(key::bank("physics"), encode(bank));
  EXPECT_EQ(read.name, "physics");
  EXPECT_EQ(read.parent, "root");
  EXPECT_EQ(read.shares, 2.5);
  EXPECT_TRUE(read.closed);
  EXPECT_EQ(read.limits, bank.limits);
  EXPECT_EQ(read.usage.state(), bank.usage.state());
  EXPECT_EQ(read.running, 7U);
  EXPECT_EQ(read.members, 3U);
  EXPECT_EQ(read.member_shares, 4.25);

  priority::Association association;
  association.userid = 0xFFF00001;
  association.user = "ada";
  association.bank = "physics";
  association.is_default = true;
  association.queues = {"batch", "debug"};
  association.qos = {"expedite"};
  association.projects = {"laser"};
  association.default_project = "laser";
  association.usage = priority::Usage({1700000000.25, {1, 0, 0, 0, 7.5}, {}, {1, 0, 0, 0, 1e9}});
  const auto again = decode_association(key::association(association.userid, "physics"), encode(association));
  EXPECT_EQ(again.userid, association.userid);
  EXPECT_EQ(again.user, "ada");
  EXPECT_EQ(again.bank, "physics");
  EXPECT_TRUE(again.is_default);
  EXPECT_EQ(again.queues, association.queues);
  EXPECT_EQ(again.qos, association.qos);
  EXPECT_EQ(again.projects, association.projects);
  EXPECT_EQ(again.default_project, "laser");
  EXPECT_EQ(again.limits, priority::AccountLimits{});
  EXPECT_EQ(again.usage.state(), association.usage.state());
}

TEST(AccountRecord, what_is_in_use_comes_back_wherever_it_is_kept) {
  priority::Use use;
  use.usage = usage();
  use.running = 3;
  use.claims = {24, std::int64_t{24} * 1700003600};
  use.month_begin = 1698796800;
  use.month_base = 1e11;
  priority::Bank bank;
  bank.name = "physics";
  bank.limits.core_hours = 100;
  static_cast<priority::Use&>(bank) = use;
  const priority::Bank read = decode_bank(key::bank("physics"), encode(bank));
  EXPECT_EQ(read.limits.core_hours, 100);
  for (const priority::Use& again : {decode_use(encode(use)), static_cast<const priority::Use&>(read)}) {
    EXPECT_EQ(again.usage.state(), use.usage.state());
    EXPECT_EQ(again.running, 3U);
    EXPECT_EQ(again.claims, use.claims);
    EXPECT_EQ(again.month_begin, use.month_begin);
    EXPECT_EQ(again.month_base, use.month_base);
  }
}

TEST(AccountRecord, damage_is_seen) {
  priority::Bank bank;
  bank.name = "physics";
  const std::string bytes = encode(bank);
  EXPECT_THROW(static_cast<void>(decode_bank(key::bank("physics"), bytes.substr(0, bytes.size() / 2))),
               Error);
  EXPECT_THROW(static_cast<void>(decode_bank(key::bank(""), bytes)), Error);
  EXPECT_THROW(static_cast<void>(decode_association(key::associations(7), bytes)), Error);
}

TEST(Tallies, keys_come_back) {
  TallyKey of;
  of.hour = 494000;
  of.userid = 1000;
  of.size = 4;
  of.bank = "physics";
  of.project = "laser";
  EXPECT_EQ(key::tally_of(key::tally(of)), of);
  EXPECT_THROW(static_cast<void>(key::tally_of(key::tallies(3))), Error);
}

TEST(Tallies, use_is_spread_over_the_hours_in_which_it_was) {
  std::string out;
  spread({2, 0, 1, 0}, 3600 * 10 + 1800, 3600 * 12 + 900, {}, [&](const TallyKey& of, const Tally& tally) {
    out += fmt::format("{}:{},{} ", of.hour, tally.seconds[0], tally.seconds[2]);
  });
  EXPECT_EQ(out, "10:3600,1800 11:7200,3600 12:1800,900 ");
}

TEST(Turns, streams_are_what_can_be_compared) {
  priority::Parameters none, weighed, other;
  weighed.scheme = other.scheme = priority::Scheme::multifactor;
  other.weights.qos += 1;
  EXPECT_NE(stream_of(none), stream_of(weighed));
  EXPECT_NE(stream_of(weighed), stream_of(other));
  other = weighed;
  other.queue_factor = 0.75;  // its factor, not a weight
  EXPECT_EQ(stream_of(weighed), stream_of(other));
}

}  // namespace
}  // namespace fq::records
