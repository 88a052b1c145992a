// The log of what was administered: what adding to it costs.

#include <gtest/gtest.h>

#include "records/instance.h"
#include "records/keys.h"
#include "store/unkept_transaction.h"
#include "support/memory_reader.h"

namespace fq::records {
namespace {

TEST(InstanceLog, is_not_read_to_be_added_to) {
  // Its bound and the note of its length are; where there is no note, or no room, the log itself, too.
  const auto gets = [](std::map<std::string, std::string> values) {
    const test::MemoryReader reader(std::move(values));
    store::UnkeptTransaction transaction(reader);
    log_instance_event(transaction, {1, "queue-stop", {{"queue", "a"}}, nullptr});
    return reader.gets;
  };
  EXPECT_EQ(gets({{std::string{key::kLogBytes}, "1000"}}), 2);
  EXPECT_EQ(gets({{std::string{key::kLogBytes}, std::to_string(1U << 20U)}}), 3);
  EXPECT_EQ(gets({{std::string{key::kLogBytes}, "garbage"}}), 3);
  EXPECT_EQ(gets({}), 3);
}

}  // namespace
}  // namespace fq::records
