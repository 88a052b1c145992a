#include "notation/idset.h"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/error.h"

namespace fq::notation {
namespace {

constexpr std::uint32_t kMaxId = 4294967295;

struct IdsetCase {
  std::string text;
  std::string encoded;
  std::string bracketed;
  std::uint64_t count;
};

TEST(Idset, decodes_and_encodes) {
  // Every accepted text is written in its shortest form, whatever brackets and ranges it came with.
  const IdsetCase cases[] = {
      {"", "", "", 0},
      {"[]", "", "", 0},
      {"0", "0", "0", 1},
      {"[0]", "0", "0", 1},
      {"1,2,3,5,6,42", "1-3,5-6,42", "[1-3,5-6,42]", 6},
      {"1-3,5-6,42", "1-3,5-6,42", "[1-3,5-6,42]", 6},
      {"[1-3,5-6,42]", "1-3,5-6,42", "[1-3,5-6,42]", 6},
      {"0-3,7", "0-3,7", "[0-3,7]", 5},
      {"4,5", "4-5", "[4-5]", 2},
      {"1-3,4-5,6", "1-6", "[1-6]", 6},
      {"4294967295", "4294967295", "4294967295", 1},
      {"0,4294967295", "0,4294967295", "[0,4294967295]", 2},
      {"0-4294967295", "0-4294967295", "[0-4294967295]", 4294967296},
      {"0-4294967294,4294967295", "0-4294967295", "[0-4294967295]", 4294967296},
  };
  for (const IdsetCase& each : cases) {
    const Idset set = Idset::decode(each.text);
    EXPECT_EQ(set.encode(), each.encoded) << each.text;
    EXPECT_EQ(set.encode_brackets(), each.bracketed) << each.text;
    EXPECT_EQ(set.count(), each.count) << each.text;
    EXPECT_EQ(set.empty(), each.count == 0) << each.text;
  }
}

std::string idset_error(std::string_view text) {
  try {
    return "decoded as " + Idset::decode(text).encode();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Kind::invalid);
    return error.what();
  }
}

TEST(Idset, refuses_what_is_no_idset) {
  // Each text is refused with a message that points at the first fault.
  const std::pair<std::string, std::string> cases[] = {
      {"1,,3", "invalid idset '1,,3': expected a number at character 3"},
      {",1", "invalid idset ',1': expected a number at character 1"},
      {"1,", "invalid idset '1,': expected a number at character 3"},
      {"[1,]", "invalid idset '[1,]': expected a number at character 4"},
      {"1-", "invalid idset '1-': expected a number at character 3"},
      {"-1", "invalid idset '-1': expected a number at character 1"},
      {"1--3", "invalid idset '1--3': expected a number at character 3"},
      {"1-2-3", "invalid idset '1-2-3': expected '-', ',' or the end at character 4"},
      {"x", "invalid idset 'x': expected a number at character 1"},
      {"1x", "invalid idset '1x': expected '-', ',' or the end at character 2"},
      {" 1", "invalid idset ' 1': expected a number at character 1"},
      {"1 ", "invalid idset '1 ': expected '-', ',' or the end at character 2"},
      {"1, 2", "invalid idset '1, 2': expected a number at character 3"},
      {"+1", "invalid idset '+1': expected a number at character 1"},
      {"01", "invalid idset '01': leading zero in '01' at character 1"},
      {"1,2-03", "invalid idset '1,2-03': leading zero in '03' at character 5"},
      {"00", "invalid idset '00': leading zero in '00' at character 1"},
      {"4294967296", "invalid idset '4294967296': '4294967296' is greater than 4294967295 at character 1"},
      {"0-99999999999999999999",
       "invalid idset '0-99999999999999999999': '99999999999999999999' is greater than 4294967295 at "
       "character 3"},
      {"3-3", "invalid idset '3-3': range '3-3' does not ascend at character 1"},
      {"1,5-3", "invalid idset '1,5-3': range '5-3' does not ascend at character 3"},
      {"2,1", "invalid idset '2,1': ids must ascend, but 1 follows 2 at character 3"},
      {"1,1", "invalid idset '1,1': ids must ascend, but 1 follows 1 at character 3"},
      {"1-5,5-7", "invalid idset '1-5,5-7': ids must ascend, but 5 follows 5 at character 5"},
      {"0-4294967295,0",
       "invalid idset '0-4294967295,0': ids must ascend, but 0 follows 4294967295 at "
       "character 14"},
      {"[", "invalid idset '[': expected a number at character 2"},
      {"]", "invalid idset ']': expected a number at character 1"},
      {"[1", "invalid idset '[1': expected '-', ',' or ']' at character 3"},
      {"1]", "invalid idset '1]': expected '-', ',' or the end at character 2"},
      {"[1]]", "invalid idset '[1]]': expected the end at character 4"},
      {"[]1", "invalid idset '[]1': expected the end at character 3"},
      {"[[1]]", "invalid idset '[[1]]': expected a number at character 2"},
      {"[1],[2]", "invalid idset '[1],[2]': expected the end at character 4"},
      {std::string{"1\0", 2}, "invalid idset '1\\x00': expected '-', ',' or the end at character 2"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(idset_error(text), message);
}

TEST(Idset, cuts_long_texts_in_messages) {
  // A message stays short, however long the text that it is about.
  const std::string digits(1'000'000, '9');
  EXPECT_EQ(idset_error(digits),
            fmt::format("invalid idset '{0}'...: '{0}'... is greater than 4294967295 at "
                        "character 1",
                        digits.substr(0, 80)));
}

TEST(Idset, holds_all_ids_as_one_range) {
  // The set of all ids costs no more than the set of one, and answers at once.
  const Idset all = Idset::decode("0-4294967295");
  EXPECT_EQ(all.ranges().size(), 1U);
  EXPECT_EQ(all, Idset::from_range(0, kMaxId));
  EXPECT_TRUE(all.contains(kMaxId));
  EXPECT_EQ(all.next(kMaxId), std::nullopt);
  EXPECT_EQ(all.next(kMaxId - 1), kMaxId);
  Idset holed = all;
  holed.erase(kMaxId);
  holed.erase(0);
  holed.erase(1000, 2000);
  EXPECT_EQ(holed.encode(), "1-999,2001-4294967294");
  EXPECT_EQ(all.subtract(holed).encode(), "0,1000-2000,4294967295");
  holed.insert(kMaxId);
  holed.insert(0);
  holed.insert(1000, 2000);
  EXPECT_EQ(holed, all);
  EXPECT_EQ(all.first_n(3).encode(), "0-2");
  EXPECT_EQ(all.first_n(std::uint64_t{1} << 40), all);
}

TEST(Idset, walks_ids_in_order) {
  // next and for_each give the ids ascending, first and last the ends.
  const Idset set = Idset::decode("3,5-7,4294967295");
  EXPECT_EQ(set.first(), 3U);
  EXPECT_EQ(set.last(), kMaxId);
  std::vector<std::uint32_t> ids;
  set.for_each([&](std::uint32_t id) { ids.push_back(id); });
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{3, 5, 6, 7, kMaxId}));
  EXPECT_EQ(set.next(0), 3U);
  EXPECT_EQ(set.next(3), 5U);
  EXPECT_EQ(set.next(5), 6U);
  EXPECT_EQ(set.next(7), kMaxId);
  EXPECT_EQ(Idset{}.next(0), std::nullopt);
}

TEST(Idset, takes_ids_in_any_order) {
  // A set made of single ids is the same whatever their order, and repeats do not matter.
  EXPECT_EQ((Idset{7, 0, 2, 1, 3, 2}).encode(), "0-3,7");
}

using Ids = std::set<std::uint32_t>;

Idset from(const Ids& ids) {
  Idset out;
  for (const std::uint32_t id : ids) out.insert(id);
  return out;
}

/// Small ids, so that sets overlap and touch, and now and then the greatest ones.
rc::Gen<Ids> any_ids() {
  return rc::gen::container<Ids>(rc::gen::weightedOneOf<std::uint32_t>(
      {{9, rc::gen::inRange<std::uint32_t>(0, 40)},
       {1, rc::gen::map(rc::gen::inRange<std::uint32_t>(0, 4),
                        [](std::uint32_t below) { return kMaxId - below; })}}));
}

Ids ids_of(const Idset& set) {
  Ids out;
  set.for_each([&](std::uint32_t id) { out.insert(id); });
  return out;
}

TEST(Idset, agrees_with_a_plain_set) {
  // Whatever the ids, every operation gives what it gives on a std::set.
  EXPECT_TRUE(rc::check([] {
    const Ids a = *any_ids();
    const Ids b = *any_ids();
    const Idset x = from(a);
    const Idset y = from(b);
    RC_ASSERT(ids_of(x) == a);
    RC_ASSERT(x.count() == a.size());
    Ids unite = a;
    unite.insert(b.begin(), b.end());
    Ids intersect;
    Ids subtract;
    for (const std::uint32_t id : a) (b.contains(id) ? intersect : subtract).insert(id);
    RC_ASSERT(x.unite(y) == from(unite));
    RC_ASSERT(x.intersect(y) == from(intersect));
    RC_ASSERT(x.subtract(y) == from(subtract));
    RC_ASSERT(x.intersects(y) == !intersect.empty());
    RC_ASSERT(x.includes(y) == (unite == a));
    for (const std::uint32_t id : unite) RC_ASSERT(x.contains(id) == a.contains(id));
    const std::uint64_t n = *rc::gen::inRange<std::uint64_t>(0, 20);
    Ids first_n;
    for (const std::uint32_t id : a) {
      if (first_n.size() < n) first_n.insert(id);
    }
    RC_ASSERT(x.first_n(n) == from(first_n));
    for (const std::uint32_t id : b) {
      const auto above = a.upper_bound(id);
      RC_ASSERT(x.next(id) == (above == a.end() ? std::nullopt : std::optional{*above}));
    }
  }));
}

TEST(Idset, inserts_and_erases_ranges) {
  // Adding and taking away a range gives what id by id gives, and the ranges stay disjoint and apart.
  EXPECT_TRUE(rc::check([] {
    const Ids ids = *any_ids();
    const auto first = *rc::gen::inRange<std::uint32_t>(0, 45);
    const auto last = *rc::gen::inRange<std::uint32_t>(first, 46);
    Idset inserted = from(ids);
    inserted.insert(first, last);
    Idset erased = from(ids);
    erased.erase(first, last);
    Ids more = ids;
    Ids less = ids;
    for (std::uint32_t id = first; id <= last; ++id) {
      more.insert(id);
      less.erase(id);
    }
    RC_ASSERT(ids_of(inserted) == more);
    RC_ASSERT(ids_of(erased) == less);
    for (const Idset& set : {inserted, erased}) {
      for (std::size_t i = 1; i < set.ranges().size(); ++i) {
        RC_ASSERT(set.ranges()[i - 1].last + 1 < set.ranges()[i].first);
      }
    }
  }));
}

TEST(Idset, decodes_what_it_encodes) {
  // decode inverts encode and encode_brackets for every set.
  EXPECT_TRUE(rc::check([] {
    const Idset set = from(*any_ids());
    RC_ASSERT(Idset::decode(set.encode()) == set);
    RC_ASSERT(Idset::decode(set.encode_brackets()) == set);
  }));
}

TEST(Idset, survives_any_text) {
  // Text of the idset alphabet is decoded, or refused as invalid; nothing else happens.
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string{"0123456789,,--[]x "}));
    try {
      const Idset set = Idset::decode(text);
      RC_ASSERT(Idset::decode(set.encode()) == set);
    } catch (const Error& error) {
      RC_ASSERT(error.kind() == Kind::invalid);
    }
  }));
}

}  // namespace
}  // namespace fq::notation
