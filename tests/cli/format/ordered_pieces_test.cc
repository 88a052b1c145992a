#include "cli/format/ordered_pieces.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

SortValue number(std::int64_t value) {
  return SortValue{Value{value}};
}
SortValue word(std::string_view value) {
  return SortValue{Value{value}};
}

std::string all(OrderedPieces& pieces) {
  std::string text;
  pieces.visit([&](std::string_view piece) { text += piece; });
  return text;
}

TEST(OrderedPieces, come_in_the_order_of_their_keys_and_of_add_where_these_are_equal) {
  // Upwards and downwards; nothing is the least.
  for (const std::size_t in_memory : {std::size_t{1}, std::size_t{300}, OrderedPieces::kInMemory}) {
    OrderedPieces pieces({{0, "", false}, {1, "", true}}, in_memory);
    pieces.add({word("b"), number(1)}, "4");
    pieces.add({word("a"), number(1)}, "3");
    pieces.add({word("b"), number(1)}, "5");
    pieces.add({word("a"), number(7)}, "2");
    pieces.add({word(""), number(0)}, "1");
    EXPECT_EQ(all(pieces), "12345") << in_memory;
  }
  OrderedPieces none({{0, "", false}});
  EXPECT_EQ(all(none), "");
}

TEST(OrderedPieces, a_hundred_thousand_pieces_in_little_memory_are_sorted_as_in_much) {
  // Shuffled numbers, of which ten are equal each; long texts go over the edge of what is read at once.
  std::vector<std::int64_t> values(100'000);
  std::iota(values.begin(), values.end(), 0);
  std::shuffle(values.begin(), values.end(), std::mt19937{7});
  OrderedPieces small({{0, "", false}}, 200'000), large({{0, "", false}});
  std::vector<std::int64_t> order(values);
  for (const std::int64_t value : values) {
    const std::string text = std::to_string(value) + std::string(value % 1000 == 0 ? 100'000 : 1, '\n');
    small.add({number(value / 10)}, text);
    large.add({number(value / 10)}, text);
  }
  const std::string sorted = all(small);
  EXPECT_TRUE(sorted == all(large));
  std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return a / 10 < b / 10; });
  EXPECT_TRUE(sorted.starts_with(std::to_string(order[0]) + "\n"));
}

}  // namespace
}  // namespace fq::cli
