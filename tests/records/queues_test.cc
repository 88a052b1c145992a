// What is read of queues, and how often: who has none configured does not pay for them.

#include "records/queues.h"

#include <map>

#include <gtest/gtest.h>

#include "records/keys.h"
#include "support/memory_reader.h"

namespace fq::records {
namespace {

using store::Family;
using test::MemoryReader;

TEST(Queues, R33_40_without_queues_there_is_next_to_nothing_to_read) {
  // Which is the default, what the configuration says of the one queue, its state, and which were touched;
  // once each, however often a command asks.
  const MemoryReader reader({});
  Queues queues(reader);
  EXPECT_EQ(reader.gets, 1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(queues.require("").policy, document::QueuePolicy{});
    EXPECT_TRUE(queues.state("").started);
    ASSERT_NE(queues.scheduling(""), nullptr);
    EXPECT_TRUE(queues.may_start_jobs(""));
  }
  EXPECT_EQ(reader.gets, 3);
  EXPECT_EQ(reader.scans, 1);
}

TEST(Queues, R33_40_of_many_queues_one_command_reads_its_own) {
  // A job's queue costs the same among ten thousand.
  std::map<std::string, std::string> values{{std::string{key::kDefaultQueue}, "q0"}};
  for (int i = 0; i < 10000; ++i) {
    document::QueueConfig queue;
    queue.name = fmt::format("q{}", i);
    values[key::queue_config(queue.name)] = document::encode_queue(queue);
  }
  const MemoryReader reader(std::move(values));
  Queues queues(reader);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(queues.require(queues.default_queue()).name, "q0");
    EXPECT_TRUE(queues.state("q0").enabled);
  }
  EXPECT_EQ(reader.gets, 3);
  EXPECT_EQ(reader.scans, 0);
}

}  // namespace
}  // namespace fq::records
