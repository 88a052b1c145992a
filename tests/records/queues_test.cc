// What is read of queues, and how often: who has none configured does not pay for them.

#include "records/queues.h"

#include <map>

#include <gtest/gtest.h>

#include "records/keys.h"

namespace fq::records {
namespace {

using store::Family;

/// A few keys in memory that count how often they are asked for.
class CountingReader final : public store::Reader {
 public:
  explicit CountingReader(std::map<std::string, std::string> values) : values_(std::move(values)) {}

  [[nodiscard]] std::optional<std::string> get(Family, std::string_view key) const override {
    ++gets;
    const auto found = values_.find(std::string{key});
    return found == values_.end() ? std::nullopt : std::optional{found->second};
  }
  [[nodiscard]] std::unique_ptr<store::Cursor> scan(Family, std::string_view from,
                                                    std::string_view to) const override {
    ++scans;
    return std::make_unique<Range>(values_.lower_bound(std::string{from}),
                                   values_.lower_bound(std::string{to}));
  }
  [[nodiscard]] std::vector<std::string> last_keys(Family, std::string_view, std::size_t) const override {
    return {};
  }

  mutable int gets = 0, scans = 0;

 private:
  using At = std::map<std::string, std::string>::const_iterator;
  struct Range final : store::Cursor {
    Range(At first, At last) : at(first), end(last) {}
    [[nodiscard]] bool valid() const override { return at != end; }
    [[nodiscard]] std::string_view key() const override { return at->first; }
    [[nodiscard]] std::string_view value() const override { return at->second; }
    void next() override { ++at; }
    void seek(std::string_view) override {}
    At at, end;
  };
  std::map<std::string, std::string> values_;
};

TEST(Queues, R33_40_without_queues_there_is_next_to_nothing_to_read) {
  // Which is the default, what the configuration says of the one queue, its state, and which were touched;
  // once each, however often a command asks.
  const CountingReader reader({});
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
  const CountingReader reader(std::move(values));
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
