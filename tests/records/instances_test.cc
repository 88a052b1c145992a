// The record of queues that are instances: who has which number, and that ids tell it.

#include "records/instances.h"

#include <gtest/gtest.h>

#include "records/instance.h"
#include "store/memory/database.h"

namespace fq::records {
namespace {

document::QueueInstance instance(const std::string& queue) {
  return {queue, {queue}, notation::Idset::decode("1")};
}

std::string numbers(const StandingInstances& known) {
  std::string text = fmt::format("{}:", known.generation);
  for (const StandingInstance& each : known.list) text += fmt::format(" {}={}", each.of.queue, each.number);
  return text;
}

TEST(Instances, a_number_is_given_once) {
  // A queue that stays has its own; one that comes back has another.
  store::memory::Database database;
  const auto begun = database.begin();
  store::Transaction& transaction = *begun;
  write_instances(transaction, {});
  EXPECT_EQ(numbers(read_instances(transaction)), "0:");
  write_instances(transaction, {instance("a"), instance("b")});
  EXPECT_EQ(numbers(read_instances(transaction)), "1: a=1 b=2");
  write_instances(transaction, {instance("b"), instance("c")});
  EXPECT_EQ(numbers(read_instances(transaction)), "2: b=2 c=3");
  write_instances(transaction, {});
  EXPECT_EQ(numbers(read_instances(transaction)), "3:");
  write_instances(transaction, {instance("a")});
  EXPECT_EQ(numbers(read_instances(transaction)), "4: a=4");
  EXPECT_EQ(read_instances(transaction).list[0].of, instance("a"));
}

TEST(Instances, ids_have_the_generator_of_their_store_and_only_grow) {
  // More than a thousand in a millisecond take the next one's (RFC 19).
  StoreInfo info;
  info.epoch_ms = 1'000'000;
  for (const std::uint32_t generator : {0U, 1U, kMaxGenerator}) {
    info.generator = generator;
    Sequence sequence;
    for (int i = 0; i < 3000; ++i) {
      const notation::JobId id = next_id(sequence, info, 1001);
      ASSERT_GT(id.value, sequence.last_id.value);
      ASSERT_EQ(generator_of(id), generator);
      sequence.last_id = id;
    }
    EXPECT_EQ(sequence.last_id.value >> 24U, 1002U);
  }
}

}  // namespace
}  // namespace fq::records
