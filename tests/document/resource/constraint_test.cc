#include "document/resource/constraint.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "base/error.h"
#include "base/json.h"
#include "document/resource/resource_set.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

using nlohmann::json;
using notation::Hostlist;
using notation::Idset;

/// host0…host3; ssd on 0 and 1, huge on 1 and 2, slowgpu@gpu on 3.
ResourceSet four_nodes() {
  ResourceSet set;
  for (std::uint32_t rank = 0; rank < 4; ++rank) set.add({rank, "host" + std::to_string(rank), {0}, {}});
  set.set_property("ssd", Idset{0, 1});
  set.set_property("huge", Idset{1, 2});
  set.set_property("slowgpu@gpu", Idset{3});
  return set;
}

std::string match(const std::string& text) {
  return Constraint::from_json_text(text).match(four_nodes()).encode();
}

TEST(Constraint, examples_of_RFC_31) {
  // Each constraint of the RFC selects the ranks that its sentence describes.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"not":[{"properties":["ssd","huge"]}]})", "0,2-3"},
      {R"({"or":[{"properties":["ssd"]},{"properties":["huge"]}]})", "0-2"},
      {R"({"properties":["ssd"]})", "0-1"},
      {R"({"properties":["^slowgpu"]})", "0-2"},
      {R"({"not":[{"properties":["slowgpu"]}]})", "0-2"},
      {R"({"hostlist":["host[0-1]"]})", "0-1"},
      {R"({"not":[{"hostlist":["host[0-1]"]}]})", "2-3"},
      {R"({"and":[{"hostlist":["host[0-1]"]},{"properties":["ssd"]}]})", "0-1"},
      {R"({"ranks":["0"]})", "0"},
      {R"({"or":[]})", "0-3"},
      {R"({"and":[]})", "0-3"},
      {R"({"not":[]})", ""},
      {R"({})", "0-3"},
  };
  for (const auto& [text, ranks] : cases) EXPECT_EQ(match(text), ranks) << text;
}

TEST(Constraint, values_combine_by_operator) {
  // Properties are all required; hosts and ranks are any of; not negates the conjunction of what it lists.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"properties":["ssd","huge"]})", "1"},
      {R"({"properties":["ssd","^huge"]})", "0"},
      {R"({"properties":["ssd","^ssd"]})", ""},
      {R"({"properties":[]})", "0-3"},
      {R"({"properties":["unknown"]})", ""},
      {R"({"properties":["^unknown"]})", "0-3"},
      {R"({"hostlist":["host3","host[0-1],host77"]})", "0-1,3"},
      {R"({"hostlist":[]})", ""},
      {R"({"hostlist":["host[2-262144]"]})", "2-3"},
      {R"({"ranks":["0","2-9"]})", "0,2-3"},
      {R"({"ranks":[]})", ""},
      {R"({"ranks":["9"]})", ""},
      {R"({"not":[{"properties":["ssd"]},{"properties":["huge"]}]})", "0,2-3"},
      {R"({"not":[{}]})", ""},
      {R"({"not":[{"not":[]}]})", "0-3"},
      {R"({"or":[{"not":[]}]})", ""},
      {R"({"or":[{},{"not":[]}]})", "0-3"},
      {R"({"and":[{"not":[]},{}]})", ""},
      {R"({"and":[{"ranks":["0-1"]},{"ranks":["1-2"]}]})", "1"},
      {R"({"or":[{"ranks":["0-1"]},{"hostlist":["host1"]},{"hostlist":["host3"]}]})", "0-1,3"},
  };
  for (const auto& [text, ranks] : cases) EXPECT_EQ(match(text), ranks) << text;
}

TEST(Constraint, a_host_name_is_not_a_property) {
  // Only the operator hostlist looks at host names.
  EXPECT_EQ(match(R"({"properties":["host1"]})"), "");
}

TEST(Constraint, a_suffixed_property_is_found_with_and_without_it) {
  // slowgpu@gpu satisfies slowgpu@gpu and slowgpu (RFC 20), also when negated.
  EXPECT_EQ(match(R"({"properties":["slowgpu@gpu"]})"), "3");
  EXPECT_EQ(match(R"({"properties":["slowgpu"]})"), "3");
  EXPECT_EQ(match(R"({"properties":["^slowgpu@gpu"]})"), "0-2");
}

TEST(Constraint, failures_name_the_place) {
  // Every refusal gives the path of what is wrong, quotes it and says what would be right.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"([])", "constraint: expected an object, got an array"},
      {R"("gpu")", "constraint: expected an object, got a string"},
      {R"({"propertys":["a"]})", "constraint: unknown operator 'propertys' (did you mean 'properties'?)"},
      {R"({"xor":[]})", "constraint: unknown operator 'xor' (did you mean 'or'?)"},
      {R"({"and":[{},{"frobnicate":[]}]})", "constraint.and[1]: unknown operator 'frobnicate'"},
      {R"({"ranks":["0"],"properties":["a"]})",
       "constraint: expected one operator, got 2 (join several with 'and')"},
      {R"({"properties":"a"})", "constraint.properties: expected an array, got a string"},
      {R"({"properties":[1]})", "constraint.properties[0]: expected a string, got an integer"},
      {R"({"properties":["a","b|c"]})",
       "constraint.properties[1]: property 'b|c' has the illegal character '|'"},
      {R"({"properties":["^"]})", "constraint.properties[0]: '^': a property needs a name"},
      {R"({"properties":["^^a"]})", "constraint.properties[0]: property '^a' has the illegal character '^'"},
      {R"({"hostlist":["a","b]"]})",
       "constraint.hostlist[1]: invalid hostlist 'b]': unexpected character at character 2"},
      {R"({"hostlist":["a[1-999999]"]})", "constraint.hostlist: expected at most 262144 hosts, got 999999"},
      {R"({"ranks":["1,0"]})",
       "constraint.ranks[0]: invalid idset '1,0': ids must ascend, but 0 follows 1 at character 3"},
      {R"({"ranks":[0]})", "constraint.ranks[0]: expected a string, got an integer"},
      {R"({"not":{"properties":["a"]}})", "constraint.not: expected an array, got an object"},
      {R"({"or":[[]]})", "constraint.or[0]: expected an object, got an array"},
      {R"({"or":)", "constraint: line 1, column 7: not valid JSON"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_text([&] { return Constraint::from_json_text(text); }), message) << text;
  }
}

TEST(Constraint, nesting_is_bounded) {
  // The deepest constraint allowed is read; one level more is refused.
  json deep = {{"properties", {"a"}}};
  for (int i = 1; i < Constraint::kMaxDepth; ++i) deep = {{"not", {deep}}};
  EXPECT_EQ(Constraint::from_json_text(deep.dump()).match(four_nodes()).encode(), "0-3");
  deep = {{"not", {deep}}};
  EXPECT_NE(error_text([&] {
              return Constraint::from_json_text(deep.dump());
            }).find("constraints nest at most 32 deep"),
            std::string::npos);
}

TEST(Constraint, canonical_text_forgets_what_makes_no_difference) {
  // Order, nesting, repetition, ways to negate and to write lists do not show in the canonical text.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"and":[]})", "{}"},
      {R"({"or":[]})", "{}"},
      {R"({"properties":[]})", "{}"},
      {R"({"not":[{"not":[]}]})", "{}"},
      {R"({"and":[{},{"or":[]}]})", "{}"},
      {R"({"not":[{}]})", R"({"not":[]})"},
      {R"({"hostlist":[]})", R"({"not":[]})"},
      {R"({"ranks":[""]})", R"({"not":[]})"},
      {R"({"properties":["a","^a"]})", R"({"not":[]})"},
      {R"({"properties":["b","a","b"]})", R"({"properties":["a","b"]})"},
      {R"({"and":[{"properties":["b"]},{"and":[{"properties":["a"]}]}]})", R"({"properties":["a","b"]})"},
      {R"({"not":[{"properties":["a"]}]})", R"({"properties":["^a"]})"},
      {R"({"not":[{"properties":["^a"]}]})", R"({"properties":["a"]})"},
      {R"({"not":[{"not":[{"properties":["a","b"]}]}]})", R"({"properties":["a","b"]})"},
      {R"({"hostlist":["n2","n[0-1],n1"]})", R"({"hostlist":["n[0-2]"]})"},
      {R"({"ranks":["3","0-1","2"]})", R"({"ranks":["0-3"]})"},
      {R"({"or":[{"properties":["b"]},{"or":[{"properties":["a"]},{"properties":["b"]}]}]})",
       R"({"or":[{"properties":["a"]},{"properties":["b"]}]})"},
      {R"({"and":[{"ranks":["0"]},{"hostlist":["n0"]},{"properties":["a"]}]})",
       R"({"and":[{"properties":["a"]},{"hostlist":["n0"]},{"ranks":["0"]}]})"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(Constraint::from_json_text(text).canonical(), canonical) << text;
  }
}

TEST(Constraint, matches_all_is_known_without_an_inventory) {
  // The empty constraint and all that reduces to it match all; nothing else claims to.
  EXPECT_TRUE(Constraint{}.matches_all());
  EXPECT_TRUE(Constraint::from_json_text(R"({"and":[{"or":[]},{}]})").matches_all());
  EXPECT_FALSE(Constraint::from_json_text(R"({"properties":["a"]})").matches_all());
  EXPECT_FALSE(Constraint::from_json_text(R"({"not":[]})").matches_all());
}

TEST(Constraint, joins_without_duplicates) {
  // Property lists become one, what is there is not repeated, what matches all is left out.
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"{}", "{}", "{}"},
      {"{}", R"({"properties":["a"]})", R"({"properties":["a"]})"},
      {R"({"hostlist":["x"]})", "{}", R"({"hostlist":["x"]})"},
      {R"({"properties":["a"]})", R"({"properties":["batch"]})", R"({"properties":["a","batch"]})"},
      {R"({"properties":["a","batch"]})", R"({"properties":["batch"]})", R"({"properties":["a","batch"]})"},
      {R"({"hostlist":["x"]})", R"({"properties":["batch"]})",
       R"({"and":[{"hostlist":["x"]},{"properties":["batch"]}]})"},
      {R"({"and":[{"hostlist":["x"]},{"properties":["a"]}]})", R"({"properties":["batch"]})",
       R"({"and":[{"hostlist":["x"]},{"properties":["a","batch"]}]})"},
      {R"({"or":[{"ranks":["1"]},{"properties":["a"]}]})", R"({"or":[{"properties":["a"]},{"ranks":["1"]}]})",
       R"({"or":[{"ranks":["1"]},{"properties":["a"]}]})"},
      {R"({"not":[]})", R"({"properties":["a"]})", R"({"and":[{"not":[]},{"properties":["a"]}]})"},
  };
  for (const auto& [a, b, joined] : cases) {
    EXPECT_EQ(join_constraints(json::parse(a), json::parse(b)).dump(), joined) << a << " " << b;
  }
  EXPECT_EQ(error_text([] { return join_constraints(json::object(), json::array()); }),
            "constraint: expected an object, got an array");
}

// ---- laws, against a reading of RFC 31 that looks at one node at a time

bool holds(const json& constraint, const ResourceSet& set, const ResourceSet::Node& node) {
  if (constraint.empty()) return true;
  const std::string op = constraint.begin().key();
  const json& values = constraint.begin().value();
  const auto count = [&](const auto& test) { return std::count_if(values.begin(), values.end(), test); };
  const auto size = static_cast<std::ptrdiff_t>(values.size());
  const auto child = [&](const json& value) { return holds(value, set, node); };
  if (op == "and") return count(child) == size;
  if (op == "or") return size == 0 || count(child) > 0;
  if (op == "not") return count(child) != size;
  if (op == "hostlist") {
    return count([&](const json& value) {
             return Hostlist::decode(value.get<std::string>()).contains(node.host);
           }) > 0;
  }
  if (op == "ranks") {
    return count([&](const json& value) {
             return Idset::decode(value.get<std::string>()).contains(node.rank);
           }) > 0;
  }
  return count([&](const json& value) {
           const std::string text = value.get<std::string>();
           const bool negated = text.front() == '^';
           const std::string name = text.substr(negated ? 1 : 0);
           bool has = false;
           for (const auto& [property, ranks] : set.properties()) {
             const bool meant = property == name || property.substr(0, property.find('@')) == name;
             has = has || (meant && ranks.contains(node.rank));
           }
           return has != negated;
         }) == size;
}

json some_constraint(int depth) {
  const auto values = [](const std::vector<std::string>& from) {
    return *rc::gen::resize(3, rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(from)));
  };
  switch (*rc::gen::inRange(0, depth > 0 ? 7 : 4)) {
    case 0:
      return json::object();
    case 1:
      return {{"properties", values({"ssd", "huge", "^ssd", "^huge", "slowgpu", "^slowgpu", "none"})}};
    case 2:
      return {{"hostlist", values({"host0", "host[1-2]", "host[0-3]", "other", "host3,host1"})}};
    case 3:
      return {{"ranks", values({"", "0", "1-2", "0-9", "3"})}};
    default:
      break;
  }
  json children = json::array();
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) children.push_back(some_constraint(depth - 1));
  return {{*rc::gen::element<std::string>("and", "or", "not"), std::move(children)}};
}

TEST(Constraint, matching_by_sets_agrees_with_matching_by_node) {
  // For any constraint the idset operations select the nodes for which it holds one by one.
  EXPECT_TRUE(rc::check("match", [] {
    const json constraint = some_constraint(3);
    const ResourceSet set = four_nodes();
    Idset expected;
    for (const auto& node : set.nodes()) {
      if (holds(constraint, set, node)) expected.insert(node.rank);
    }
    RC_ASSERT(Constraint::parse(JsonAt{constraint, ""}).match(set) == expected);
  }));
}

TEST(Constraint, canonical_text_means_the_same_and_is_final) {
  // The canonical text matches the same ranks, and its own canonical text is itself.
  EXPECT_TRUE(rc::check("canonical", [] {
    const json constraint = some_constraint(3);
    const Constraint parsed = Constraint::parse(JsonAt{constraint, ""});
    const Constraint again = Constraint::from_json_text(parsed.canonical());
    RC_ASSERT(again.match(four_nodes()) == parsed.match(four_nodes()));
    RC_ASSERT(again.canonical() == parsed.canonical());
    if (parsed.matches_all()) RC_ASSERT(parsed.match(four_nodes()) == four_nodes().ranks());
  }));
}

TEST(Constraint, order_does_not_show_in_canonical_text) {
  // Reversing what and, or and not list, at every level, gives the same canonical text.
  EXPECT_TRUE(rc::check("order", [] {
    const json constraint = some_constraint(3);
    const auto reversed = [](const auto& self, json value) -> json {
      for (auto& member : value.items()) {
        for (json& child : member.value()) {
          if (child.is_object()) child = self(self, child);
        }
        std::reverse(member.value().begin(), member.value().end());
      }
      return value;
    };
    RC_ASSERT(Constraint::parse(JsonAt{reversed(reversed, constraint), ""}).canonical() ==
              Constraint::parse(JsonAt{constraint, ""}).canonical());
  }));
}

TEST(Constraint, joining_intersects) {
  // The ranks of a joined constraint are those that both parts match, and joining again adds nothing.
  EXPECT_TRUE(rc::check("join", [] {
    const json a = some_constraint(2);
    const json b = some_constraint(2);
    const json joined = join_constraints(a, b);
    const auto ranks = [](const json& c) { return Constraint::parse(JsonAt{c, ""}).match(four_nodes()); };
    RC_ASSERT(ranks(joined) == ranks(a).intersect(ranks(b)));
    RC_ASSERT(join_constraints(joined, b) == joined);
    RC_ASSERT(join_constraints(joined, joined) == joined);
  }));
}

}  // namespace
}  // namespace fq::document
