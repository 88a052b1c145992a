#include "notation/hostlist.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/error.h"
#include "base/text.h"
#include "notation/some_hosts.h"

namespace fq::notation {
namespace {

std::string expanded(const Hostlist& list) {
  return join(list.hosts(), ",");
}

struct HostlistCase {
  std::string text;
  std::string hosts;
  std::string encoded;
};

TEST(Hostlist, R29_test_vectors) {
  // Every test vector of the RFC gives the list that the RFC shows.
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"foox,fooy,fooz", "foox,fooy,fooz"},
      {"[1-3,5-6]", "1,2,3,5,6"},
      {"foo[1-5]", "foo1,foo2,foo3,foo4,foo5"},
      {"foo[0-4]-eth2", "foo0-eth2,foo1-eth2,foo2-eth2,foo3-eth2,foo4-eth2"},
      {"foo1,foo1,foo1", "foo1,foo1,foo1"},
      {"[00-02]", "00,01,02"},
      {"[00-2]", "00,01,02"},
      {"foo[1,1,2,1]", "foo1,foo1,foo2,foo1"},
  };
  for (const auto& [text, hosts] : cases) EXPECT_EQ(expanded(Hostlist::decode(text)), hosts) << text;
}

TEST(Hostlist, R29_examples) {
  // The lists that the RFC's text names. Only the padding of `005,4` is not the RFC's: each number is taken
  // as it is written, as Flux does.
  const std::pair<std::string, std::string> cases[] = {
      {"[5,4,10,11,12,13]", "5,4,10,11,12,13"},
      {"[5,4,11-13]", "5,4,11,12,13"},
      {"[005,4,11-13]", "005,4,11,12,13"},
      {"[2,2,2]", "2,2,2"},
      {"host[0-10,12]", "host0,host1,host2,host3,host4,host5,host6,host7,host8,host9,host10,host12"},
  };
  for (const auto& [text, hosts] : cases) {
    EXPECT_EQ(expanded(Hostlist::decode(text)), hosts) << text;
    EXPECT_EQ(expanded(Hostlist::decode(Hostlist::decode(text).encode())), hosts) << text;
  }
  EXPECT_EQ(Hostlist::decode("prefix[0-1024]").count(), 1025U);
}

TEST(Hostlist, decodes_and_encodes) {
  // Hosts keep order, duplicates and padding; neighbours that share their name share brackets.
  const HostlistCase cases[] = {
      {"foo", "foo", "foo"},
      {"foo1", "foo1", "foo1"},
      {"foo[7]", "foo7", "foo7"},
      {"foo1,foo2,foo3,fooi", "foo1,foo2,foo3,fooi", "foo[1-3],fooi"},
      {"foo1,fooi,foo2,foo3", "foo1,fooi,foo2,foo3", "foo1,fooi,foo[2-3]"},
      {"foo5,foo4,foo11", "foo5,foo4,foo11", "foo[5,4,11]"},
      {"foo1,foo1,foo2", "foo1,foo1,foo2", "foo[1,1-2]"},
      {"foo-1a-2,foo-1a-3", "foo-1a-2,foo-1a-3", "foo-1a-[2-3]"},
      {"1,2,3,9", "1,2,3,9", "[1-3,9]"},
      {",a,,b,", "a,b", "a,b"},
      {"n[9-11]", "n9,n10,n11", "n[9-11]"},
      {"n9,n10,n99,n100", "n9,n10,n99,n100", "n[9-10,99-100]"},
      {"n[008-011]", "n008,n009,n010,n011", "n[008-011]"},
      {"n098,n099,n100,n101", "n098,n099,n100,n101", "n[098-101]"},
      {"n9,n010", "n9,n010", "n[9,010]"},
      {"n09,n10,n11", "n09,n10,n11", "n[09-11]"},
      {"n[005,4]", "n005,n4", "n[005,4]"},
      {"n[005,006,7]", "n005,n006,n7", "n[005-006,7]"},
      {"n[1-003]", "n1,n2,n3", "n[1-3]"},
      {"n[3-3]", "n3", "n3"},
      {"rack[1-2]-n3", "rack1-n3,rack2-n3", "rack1-n3,rack2-n3"},
      {"rack[1,3]n,x", "rack1n,rack3n,x", "rack1n,rack3n,x"},
      {"a1b,a2b", "a1b,a2b", "a1b,a2b"},
      {"[08-10]p", "08p,09p,10p", "08p,09p,10p"},
      {"a[1-2],b[1-2],a3", "a1,a2,b1,b2,a3", "a[1-2],b[1-2],a3"},
      {"n1[05-07]", "n105,n106,n107", "n1[05-07]"},
      {"n12345678901234567890123,n12345678901234567890124",
       "n12345678901234567890123,n12345678901234567890124", "n12345[678901234567890123-678901234567890124]"},
      {"n[999999999999999998-999999999999999999]", "n999999999999999998,n999999999999999999",
       "n[999999999999999998-999999999999999999]"},
      {"!\"#$%&'()*+-./:;<=>?@\\^_`{|}~1", "!\"#$%&'()*+-./:;<=>?@\\^_`{|}~1",
       "!\"#$%&'()*+-./:;<=>?@\\^_`{|}~1"},
  };
  for (const HostlistCase& each : cases) {
    const Hostlist list = Hostlist::decode(each.text);
    EXPECT_EQ(expanded(list), each.hosts) << each.text;
    EXPECT_EQ(list.encode(), each.encoded) << each.text;
    EXPECT_EQ(list.count(), each.hosts.empty() ? 0 : split(each.hosts, ',').size()) << each.text;
  }
}

std::string hostlist_error(std::string_view text) {
  try {
    return "decoded as " + Hostlist::decode(text).encode();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Kind::invalid);
    return error.what();
  }
}

TEST(Hostlist, refuses_what_is_no_hostlist) {
  // Each text is refused with a message that points at the first fault.
  const std::pair<std::string, std::string> cases[] = {
      {"[]", "invalid hostlist '[]': expected a number at character 2"},
      {"foo[]", "invalid hostlist 'foo[]': expected a number at character 5"},
      {"foo[", "invalid hostlist 'foo[': expected a number at character 5"},
      {"foo[1,3", "invalid hostlist 'foo[1,3': expected '-', ',' or ']' at character 8"},
      {"foo[1,]", "invalid hostlist 'foo[1,]': expected a number at character 7"},
      {"foo[1-]", "invalid hostlist 'foo[1-]': expected a number at character 7"},
      {"foo[1-2-3]", "invalid hostlist 'foo[1-2-3]': expected '-', ',' or ']' at character 8"},
      {"foo[[1,3]", "invalid hostlist 'foo[[1,3]': expected a number at character 5"},
      {"foo]", "invalid hostlist 'foo]': unexpected character at character 4"},
      {"foo[1]]", "invalid hostlist 'foo[1]]': unexpected character at character 7"},
      {"foo[x-y]", "invalid hostlist 'foo[x-y]': expected a number at character 5"},
      {"foo[0-1,2--5]", "invalid hostlist 'foo[0-1,2--5]': expected a number at character 11"},
      {"foo[3-1]", "invalid hostlist 'foo[3-1]': range '3-1' does not ascend at character 5"},
      {"a[0-1]b[0-1]", "invalid hostlist 'a[0-1]b[0-1]': second pair of brackets at character 8"},
      {"a[0-1][0-1]", "invalid hostlist 'a[0-1][0-1]': second pair of brackets at character 7"},
      {"a b", "invalid hostlist 'a b': unexpected character at character 2"},
      {"a, b", "invalid hostlist 'a, b': unexpected character at character 3"},
      {"a\n", "invalid hostlist 'a\\n': unexpected character at character 2"},
      {"nöd1", "invalid hostlist 'nöd1': unexpected character at character 2"},
      {"n[0-999999999999]", "invalid hostlist 'n[0-999999999999]': more than 16777216 hosts at character 2"},
      {"n[0-16777216]", "invalid hostlist 'n[0-16777216]': more than 16777216 hosts at character 2"},
      {"n[0-16777215],x", "invalid hostlist 'n[0-16777215],x': more than 16777216 hosts at character 15"},
      {"n[0-9999999],m[0-9999999]x",
       "invalid hostlist 'n[0-9999999],m[0-9999999]x': more than 16777216 hosts at character 15"},
      {"n[0-1000000000000000000]",
       "invalid hostlist 'n[0-1000000000000000000]': number of more than 18 digits at character 5"},
      {"n[0000000000000000001]",
       "invalid hostlist 'n[0000000000000000001]': number of more than 18 digits at character 3"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(hostlist_error(text), message);
}

TEST(Hostlist, holds_wide_ranges_compressed) {
  // The longest list costs no more than its text: nothing but hosts() expands it.
  Hostlist list = Hostlist::decode("node[0-16777215]");
  EXPECT_EQ(list.count(), Hostlist::kMaxHosts);
  EXPECT_EQ(list.nth(16777215), "node16777215");
  EXPECT_EQ(list.find("node1234567"), 1234567U);
  EXPECT_EQ(list.find("node01234567"), std::nullopt);
  EXPECT_EQ(list.intersect(Hostlist::decode("x,node[9999990-19999999]")).encode(), "node[9999990-16777215]");
  EXPECT_EQ(list.subtract(Hostlist::decode("node[5-16777210]")).encode(), "node[0-4,16777211-16777215]");
  list.uniq();
  EXPECT_EQ(list.encode(), "node[0-16777215]");
}

/// The message of the error that `act` throws with Kind::refused.
template <class F>
std::string refusal(F act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Kind::refused);
    return error.what();
  }
  return "no error";
}

TEST(Hostlist, refuses_what_would_need_too_much_memory) {
  // What cannot be done without a lot of memory is refused before any of it is taken.
  const std::string long_name(1000, 'x');
  const Hostlist suffixed = Hostlist::decode("n[0-16000000]-ib");
  const Hostlist longer = Hostlist::decode(long_name + "[0-999999]," + long_name + "[0-999999]s");
  const std::string too_long = "hostlist is too long to be written out: more than 268435456 characters";
  EXPECT_EQ(refusal([&] { (void)longer.encode(); }), too_long);
  EXPECT_EQ(refusal([&] { (void)longer.hosts(); }), too_long);
  EXPECT_EQ(suffixed.find("n15999999-ib"), 15999999U);
  const std::string suffixes = "hostlist has more than 1048576 hosts with a suffix after their number";
  EXPECT_EQ(refusal([&] { (void)suffixed.intersect(suffixed); }), suffixes);
  EXPECT_EQ(refusal([&] { (void)Hostlist{}.subtract(suffixed); }), suffixes);
  EXPECT_EQ(refusal([&] { Hostlist{suffixed}.sort(); }), suffixes);
  EXPECT_EQ(refusal([&] { Hostlist::decode("n[0-8000000],n[0-8000000]").sort(); }),
            "hostlist has more than 1048576 duplicates to sort");
  EXPECT_EQ(refusal([&] { Hostlist{suffixed}.append(suffixed); }),
            "hostlist would have more than 16777216 hosts");
  EXPECT_EQ(refusal([&] { Hostlist::decode("n[0-8000000],n[0-8000000]").uniq(); }), "no error");
}

TEST(Hostlist, shares_long_names) {
  // Many ranges of one long name hold the name once: two megabytes of text stay a few dozen megabytes.
  std::string text(1'000'000, 'x');
  text += "[0";
  for (int i = 2; i < 300'000; i += 2) text += fmt::format(",{}", i);
  text += "]";
  Hostlist list = Hostlist::decode(text);
  EXPECT_EQ(list.count(), 150'000U);
  EXPECT_EQ(list.encode(), text);
  EXPECT_EQ(list.intersect(list).encode(), text);
  list.sort();
  EXPECT_EQ(list.encode(), text);
}

struct FindCase {
  std::string list;
  std::string host;
  std::optional<std::uint64_t> index;
};

TEST(Hostlist, finds_hosts) {
  // The index of the first host that is written exactly so, whatever brackets it came in.
  const FindCase cases[] = {
      {"tst0", "tst", std::nullopt},
      {"tst0,tst", "tst", 1},
      {"tst", "tst0", std::nullopt},
      {"foo[1-5]-eth0", "foo3-eth0", 2},
      {"foo[1-5]", "foo3-eth0", std::nullopt},
      {"foo[1-5]-eth0", "foo-eth0", std::nullopt},
      {"[0-5]", "3", 3},
      {"[0-5]i", "0", std::nullopt},
      {"i[0-5]", "i00", std::nullopt},
      {"i[00-05]", "i00", 0},
      {"i[00-05]", "i0", std::nullopt},
      {"i[00-05]", "i04", 4},
      {"i[8-12]", "i10", 2},
      {"f00[7-8]", "f007", 0},
      {"f00[7-8,10]", "f0010", 2},
      {"f0010001[07-08]", "f001000108", 1},
      {"a,b,a", "a", 0},
      {"a[5,1-9]", "a5", 0},
      {"a1", "", std::nullopt},
      {"", "a", std::nullopt},
      {"aba", "ab", std::nullopt},
      {"a[1-3]a", "a", std::nullopt},
      {"n1", "n18446744073709551617", std::nullopt},
  };
  for (const FindCase& each : cases) {
    EXPECT_EQ(Hostlist::decode(each.list).find(each.host), each.index) << each.list << " " << each.host;
    EXPECT_EQ(Hostlist::decode(each.list).contains(each.host), each.index.has_value());
  }
}

TEST(Hostlist, gives_the_nth_host) {
  // Indexes count hosts from 0, over brackets.
  const Hostlist list = Hostlist::decode("foo[1-2,4,5],bar,n[08-10]-x");
  std::vector<std::string> hosts;
  for (std::uint64_t i = 0; i < list.count(); ++i) hosts.push_back(list.nth(i));
  EXPECT_EQ(hosts, list.hosts());
  EXPECT_EQ(hosts[7], "n10-x");
}

TEST(Hostlist, erases_hosts) {
  // The first host of that name goes; what then stands side by side is compressed again.
  const std::tuple<std::string, std::string, bool, std::string> cases[] = {
      {"foo[2-5]", "foo6", false, "foo[2-5]"},
      {"foo[2-5]", "foo3", true, "foo[2,4-5]"},
      {"foo[2-5]", "foo2", true, "foo[3-5]"},
      {"foo[2-5]", "foo5", true, "foo[2-4]"},
      {"foo[2-5],fooi", "fooi", true, "foo[2-5]"},
      {"foo1,x,foo2", "x", true, "foo[1-2]"},
      {"a,b,a", "a", true, "b,a"},
      {"foo[2-4]-eth2", "foo3-eth2", true, "foo2-eth2,foo4-eth2"},
      {"n[098-101]", "n099", true, "n[098,100-101]"},
      {"a", "a", true, ""},
      {"", "a", false, ""},
  };
  for (const auto& [text, host, found, left] : cases) {
    Hostlist list = Hostlist::decode(text);
    EXPECT_EQ(list.erase(host), found) << text;
    EXPECT_EQ(list.encode(), left) << text;
    EXPECT_EQ(list.count(), list.hosts().size()) << text;
  }
}

TEST(Hostlist, appends) {
  // Texts and lists go to the end, compressed with what is there; a list can be appended to itself.
  Hostlist list;
  list.append("");
  EXPECT_TRUE(list.empty());
  list.append("foo12");
  list.append("foo[4,1-2]");
  list.append(Hostlist::decode("foo3,bar[26-30]"));
  EXPECT_EQ(list.encode(), "foo[12,4,1-3],bar[26-30]");
  EXPECT_EQ(list.count(), 10U);
  list.append(list);
  EXPECT_EQ(list.encode(), "foo[12,4,1-3],bar[26-30],foo[12,4,1-3],bar[26-30]");
  EXPECT_THROW(list.append("foo["), Error);
  EXPECT_EQ(list.count(), 20U);
}

TEST(Hostlist, selects_by_index) {
  // The hosts at the indexes come in list order; an index past the end is refused.
  const Hostlist list = Hostlist::decode("n[5-9],x,n[1-3]");
  EXPECT_EQ(list.select(Idset::decode("0,2-6,8")).encode(), "n[5,7-9],x,n[1,3]");
  EXPECT_EQ(list.select(Idset::decode("0-8")).encode(), list.encode());
  EXPECT_EQ(list.select(Idset{}).encode(), "");
  try {
    (void)list.select(Idset::decode("8-9"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Kind::invalid);
    EXPECT_STREQ(error.what(), "hostlist has no host of index 9: it has 9 hosts");
  }
}

TEST(Hostlist, selects_from_the_end) {
  // Index 1 is the last host; hosts come in list order; what is past the beginning, and 0, is refused.
  const Hostlist list = Hostlist::decode("n[5-9],x,n[1-3]");
  EXPECT_EQ(list.select_from_end(Idset::decode("1")).encode(), "n3");
  EXPECT_EQ(list.select_from_end(Idset::decode("1-2,4,9")).encode(), "n5,x,n[2-3]");
  EXPECT_EQ(list.select_from_end(Idset::decode("1-9")).encode(), list.encode());
  EXPECT_EQ(list.select_from_end(Idset{}).encode(), "");
  const std::pair<std::string, std::string> cases[] = {
      {"9-10", "hostlist has no host of index 10 from the end: it has 9 hosts"},
      {"0-1", "hostlist has no host of index 0 from the end: the last one is 1"},
  };
  for (const auto& [indexes, message] : cases) {
    try {
      (void)list.select_from_end(Idset::decode(indexes));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Kind::invalid);
      EXPECT_EQ(error.what(), message);
    }
  }
}

TEST(Hostlist, keeps_any_list_of_hosts) {
  // Any hosts, appended one by one, are those hosts in that order; so they are after encoding and decoding.
  EXPECT_TRUE(rc::check([] {
    const auto hosts = *any_hosts();
    Hostlist list;
    for (const std::string& host : hosts) list.append(host);
    RC_ASSERT(list.hosts() == hosts);
    RC_ASSERT(list.count() == hosts.size());
    RC_ASSERT(Hostlist::decode(list.encode()).hosts() == hosts);
    RC_ASSERT(Hostlist::decode(join(hosts, ",")).hosts() == hosts);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      RC_ASSERT(list.nth(i) == hosts[i]);
      RC_ASSERT(list.find(hosts[i]) ==
                static_cast<std::uint64_t>(std::find(hosts.begin(), hosts.end(), hosts[i]) - hosts.begin()));
    }
  }));
}

TEST(Hostlist, survives_any_text) {
  // Text of the hostlist alphabet is decoded, or refused as invalid; nothing else happens.
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string{"ab0129,,-[[]] "}));
    try {
      const Hostlist list = Hostlist::decode(text);
      if (list.count() < 1000) RC_ASSERT(Hostlist::decode(list.encode()).hosts() == list.hosts());
    } catch (const Error& error) {
      RC_ASSERT(error.kind() == Kind::invalid);
    }
  }));
}

}  // namespace
}  // namespace fq::notation
