#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/text.h"
#include "notation/hostlist.h"
#include "notation/some_hosts.h"

namespace fq::notation {
namespace {

TEST(HostlistSets, erases_as_often_as_named) {
  // Each host of the other list takes its first place in this one; the rest keeps its order and duplicates.
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"n[1-9]", "n[3-5]", "n[1-2,6-9]"},
      {"n[1,1,1]", "n1", "n[1,1]"},
      {"n[1,1,1]", "n[1,1]", "n1"},
      {"n[1,1,1]", "n[1,1,1,1]", ""},
      {"n[1-3,1-3]", "n[2-3]", "n[1,1-3]"},
      {"n[1-3,1-3]", "n2,n[1-3]", "n[1,3]"},
      {"n[1-9]", "n[1-3],n[3-5],n9", "n[6-8]"},
      {"a,b,a", "a,c", "b,a"},
      {"n[08-11]", "n[8-11]", "n[08-09]"},
      {"n[1-3]-x", "n2-x", "n1-x,n3-x"},
      {"n[1-3]", "", "n[1-3]"},
      {"", "n[1-3]", ""},
  };
  for (const auto& [text, others, left] : cases) {
    Hostlist list = Hostlist::decode(text);
    list.erase(Hostlist::decode(others));
    EXPECT_EQ(list.encode(), left) << text << " " << others;
    EXPECT_EQ(list.count(), list.hosts().size()) << text;
  }
  Hostlist wide = Hostlist::decode("n[0-7000000],n[5-7000005]");
  wide.erase(Hostlist::decode("n[10-6000000]"));
  EXPECT_EQ(wide.encode(), "n[0-9,6000001-7000000,5-7000005]");
  wide.erase(wide);
  EXPECT_EQ(wide.encode(), "");
}

struct SetCase {
  std::string a;
  std::string b;
  std::string both;
  std::string rest;
};

TEST(HostlistSets, intersects_and_subtracts) {
  // Hosts are compared as written; order and duplicates of the first list are kept.
  const SetCase cases[] = {
      {"n[1-9]", "n[3-5]", "n[3-5]", "n[1-2,6-9]"},
      {"n[3,1,2,1]", "n1", "n[1,1]", "n[3,2]"},
      {"a,b,c", "c,a", "a,c", "b"},
      {"n[08-11]", "n[8-11]", "n[10-11]", "n[08-09]"},
      {"n[98-101]", "n[099-100]", "n100", "n[98-99,101]"},
      {"n[100-110]", "n1[05-07]", "n[105-107]", "n[100-104,108-110]"},
      {"n1[05-07]", "n[106-120]", "n1[06-07]", "n105"},
      {"n[1-3]-x", "n2-x", "n2-x", "n1-x,n3-x"},
      {"n2-x9", "n[1-3]-x9", "n2-x9", ""},
      {"n[1-3]5", "n[20-29]", "n25", "n15,n35"},
      {"a,a1", "a", "a", "a1"},
      {"n[1-3]", "", "", "n[1-3]"},
      {"", "n[1-3]", "", ""},
      {"n[1-5]", "n[2-3],n[3-4],n2", "n[2-4]", "n[1,5]"},
  };
  for (const SetCase& each : cases) {
    const Hostlist a = Hostlist::decode(each.a);
    const Hostlist b = Hostlist::decode(each.b);
    EXPECT_EQ(a.intersect(b).encode(), each.both) << each.a << " " << each.b;
    EXPECT_EQ(a.subtract(b).encode(), each.rest) << each.a << " " << each.b;
  }
}

struct SortCase {
  std::string text;
  std::string sorted;
  std::string unique;
};

TEST(HostlistSets, sorts) {
  // By name, then count of digits, then number; uniq keeps one of each.
  const SortCase cases[] = {
      {"foo,f,bar,baz", "bar,baz,f,foo", "bar,baz,f,foo"},
      {"[5-6],[3-4],[1-2,0]", "[0-6]", "[0-6]"},
      {"[0-20],12,15", "[0-12,12-15,15-20]", "[0-20]"},
      {"0,1,2,3,4,5,1,5", "[0-1,1-5,5]", "[0-5]"},
      {"[0-20],45,12,015", "[0-12,12-20,45,015]", "[0-20,45,015]"},
      {"bar1,bar2,foo1,foo,foo", "bar[1-2],foo,foo,foo1", "bar[1-2],foo,foo1"},
      {"foo[5-6],foo[4-7]", "foo[4-5,5-6,6-7]", "foo[4-7]"},
      {"foo[0-2],foo[0-2],foo[0-2]", "foo[0,0,0-1,1,1-2,2,2]", "foo[0-2]"},
      {"n100,n99,n[9-10]", "n[9-10,99-100]", "n[9-10,99-100]"},
      {"n[010-012],n[8-9]", "n[8-9,010-012]", "n[8-9,010-012]"},
      {"r[2-3]-n1,r1-n1", "r1-n1,r2-n1,r3-n1", "r1-n1,r2-n1,r3-n1"},
      {"n1[07-09],n106", "n[106-109]", "n[106-109]"},
  };
  for (const SortCase& each : cases) {
    Hostlist sorted = Hostlist::decode(each.text);
    sorted.sort();
    EXPECT_EQ(sorted.encode(), each.sorted) << each.text;
    Hostlist unique = Hostlist::decode(each.text);
    unique.uniq();
    EXPECT_EQ(unique.encode(), each.unique) << each.text;
  }
}

TEST(HostlistSets, agrees_with_a_plain_list) {
  // Erase, select, intersect, subtract, sort and uniq give what they give on a vector of names.
  EXPECT_TRUE(rc::check([] {
    const auto hosts = *any_hosts();
    const auto others = *any_hosts();
    const Hostlist a = Hostlist::decode(join(hosts, ","));
    const Hostlist b = Hostlist::decode(join(others, ","));
    std::vector<std::string> both;
    std::vector<std::string> rest;
    Idset even;
    std::vector<std::string> at_even;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      (std::find(others.begin(), others.end(), hosts[i]) != others.end() ? both : rest).push_back(hosts[i]);
      if (i % 2 == 0) even.insert(static_cast<std::uint32_t>(i));
      if (i % 2 == 0) at_even.push_back(hosts[i]);
    }
    RC_ASSERT(a.intersect(b).hosts() == both);
    RC_ASSERT(a.subtract(b).hosts() == rest);
    RC_ASSERT(a.select(even).hosts() == at_even);
    auto spared = hosts;
    for (const std::string& other : others) {
      const auto at = std::find(spared.begin(), spared.end(), other);
      if (at != spared.end()) spared.erase(at);
    }
    Hostlist less_others = a;
    less_others.erase(b);
    RC_ASSERT(less_others.hosts() == spared);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      Hostlist less = a;
      less.erase_at(i);
      auto left = hosts;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      RC_ASSERT(less.hosts() == left);
      RC_ASSERT(less.encode() == Hostlist::decode(less.encode()).encode());
    }
    const auto in_name_order = [](std::vector<std::string> names) {
      std::sort(names.begin(), names.end());
      return names;
    };
    Hostlist sorted = a;
    sorted.sort();
    RC_ASSERT(in_name_order(sorted.hosts()) == in_name_order(hosts));
    Hostlist again = sorted;
    again.sort();
    RC_ASSERT(again.encode() == sorted.encode());
    Hostlist unique = a;
    unique.uniq();
    auto distinct = in_name_order(hosts);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    RC_ASSERT(in_name_order(unique.hosts()) == distinct);
  }));
}

}  // namespace
}  // namespace fq::notation
