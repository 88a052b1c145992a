#include "document/resource/constraint_syntax.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "base/error.h"
#include "base/json.h"
#include "document/resource/constraint.h"
#include "document/resource/resource_set.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

using nlohmann::json;
using notation::Idset;

std::string parse_syntax(std::string_view text) {
  return parse_constraint_syntax(text).dump();
}
std::string refusal(std::string_view text) {
  return error_text([&] { return parse_constraint_syntax(text); });
}

TEST(ConstraintSyntax, examples_of_RFC_35) {
  // With properties for the default operator, the RFC's examples give its objects; conjoined properties share
  // a list.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"foo", R"({"properties":["foo"]})"},
      {"foo bar", R"({"properties":["foo","bar"]})"},
      {"foo bar rank:0", R"({"and":[{"properties":["foo","bar"]},{"ranks":["0"]}]})"},
      {"a|b|c", R"({"or":[{"properties":["a"]},{"properties":["b"]},{"properties":["c"]}]})"},
      {"a|b&c", R"({"or":[{"properties":["a"]},{"properties":["b","c"]}]})"},
      {"(a|b)&c", R"({"and":[{"or":[{"properties":["a"]},{"properties":["b"]}]},{"properties":["c"]}]})"},
      {"(a|-b)&c",
       R"({"and":[{"or":[{"properties":["a"]},{"not":[{"properties":["b"]}]}]},{"properties":["c"]}]})"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(parse_syntax(text), expected) << text;
}

TEST(ConstraintSyntax, operators_have_three_spellings) {
  // &, && and `and` are one, as are |, || and `or`; keywords are whole words outside quotes.
  for (const char* text : {"a&b", "a && b", "a and b", "a b", " a\t\nb ", "a,b", "properties:a,b"}) {
    EXPECT_EQ(parse_syntax(text), R"({"properties":["a","b"]})") << text;
  }
  for (const char* text : {"a|b", "a||b", "a or b", "(a)or(b)"}) {
    EXPECT_EQ(parse_syntax(text), R"({"or":[{"properties":["a"]},{"properties":["b"]}]})") << text;
  }
  for (const char* text : {"-a", "not a", "not(a)", "not 'a'", "- a", "(not (a))"}) {
    EXPECT_EQ(parse_syntax(text), R"({"not":[{"properties":["a"]}]})") << text;
  }
  EXPECT_EQ(parse_syntax("and-1 order nothing 'not'"), R"({"properties":["and-1","order","nothing","not"]})");
  EXPECT_EQ(parse_syntax("a-b"), R"({"properties":["a-b"]})");
}

TEST(ConstraintSyntax, hosts_and_ranks_have_short_names) {
  // host, hosts and hostlist are one operator, rank and ranks another; commas within are theirs.
  for (const char* text : {"host:node[1-2]", "hosts:node[1-2]", "hostlist:node[1-2]", "'host:node[1-2]'"}) {
    EXPECT_EQ(parse_syntax(text), R"({"hostlist":["node[1-2]"]})") << text;
  }
  EXPECT_EQ(parse_syntax("hosts:a,b"), R"({"hostlist":["a,b"]})");
  EXPECT_EQ(parse_syntax("rank:0-1,5"), R"({"ranks":["0-1,5"]})");
  EXPECT_EQ(parse_syntax("gpu and not host:node[1-2]"),
            R"({"and":[{"properties":["gpu"]},{"not":[{"hostlist":["node[1-2]"]}]}]})");
  EXPECT_EQ(parse_syntax("-host:fluke7"), R"({"not":[{"hostlist":["fluke7"]}]})");
}

TEST(ConstraintSyntax, written_operators_bind_as_usual) {
  // `not` binds before `and`, `and` before `or`, whatever the order.
  EXPECT_EQ(parse_syntax("a&b|c"), R"({"or":[{"properties":["a","b"]},{"properties":["c"]}]})");
  EXPECT_EQ(parse_syntax("not a&b"), R"({"and":[{"not":[{"properties":["a"]}]},{"properties":["b"]}]})");
  EXPECT_EQ(parse_syntax("not (a&b)"), R"({"not":[{"properties":["a","b"]}]})");
  EXPECT_EQ(parse_syntax("not not a"), R"({"not":[{"not":[{"properties":["a"]}]}]})");
  EXPECT_EQ(parse_syntax("(a and b) or (b and c)"),
            R"({"or":[{"properties":["a","b"]},{"properties":["b","c"]}]})");
  EXPECT_EQ(parse_syntax("^a"), R"({"properties":["^a"]})");
}

TEST(ConstraintSyntax, a_blank_closes_what_stands_before_it) {
  // `a|b c` is (a or b) and c; the term after the blank then binds as with &.
  EXPECT_EQ(parse_syntax("a|b c"), parse_syntax("(a|b)&c"));
  EXPECT_EQ(parse_syntax("a|b -c"), parse_syntax("(a|b)&-c"));
  EXPECT_EQ(parse_syntax("a|b not c"), parse_syntax("(a|b)&(not c)"));
  EXPECT_EQ(parse_syntax("a|b (c|d)"), parse_syntax("(a|b)&(c|d)"));
  EXPECT_EQ(parse_syntax("a b|c"), parse_syntax("(a&b)|c"));
  EXPECT_EQ(parse_syntax("a|b c|d"), parse_syntax("((a|b)&c)|d"));
  EXPECT_EQ(parse_syntax("not a b"), parse_syntax("(not a)&b"));
}

TEST(ConstraintSyntax, quotes_take_blanks_and_operators) {
  // Single and double quotes take everything up to the same quote, at any place of a term.
  EXPECT_EQ(parse_syntax("'a b'"), R"({"properties":["a b"]})");
  EXPECT_EQ(parse_syntax(R"(properties:"x y",z)"), R"({"properties":["x y","z"]})");
  EXPECT_EQ(parse_syntax("host:'n[1-2]' x"), R"({"and":[{"hostlist":["n[1-2]"]},{"properties":["x"]}]})");
  EXPECT_EQ(parse_syntax("properties:a:b"), R"({"properties":["a:b"]})");
}

TEST(ConstraintSyntax, nothing_requires_nothing) {
  // An empty text and one of blanks match all.
  EXPECT_EQ(parse_syntax(""), "{}");
  EXPECT_EQ(parse_syntax(" \t\n"), "{}");
}

TEST(ConstraintSyntax, failures_give_the_column) {
  // Each refusal quotes the text, points at the character and says what would be right.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"a|", "constraint 'a|': column 3: expected a term after '|', got the end"},
      {"a && & b", "constraint 'a && & b': column 6: expected a term after '&&', got '&'"},
      {"|a", "constraint '|a': column 1: expected a term, got '|'"},
      {"not", "constraint 'not': column 4: expected a term after 'not', got the end"},
      {"not and", "constraint 'not and': column 5: expected a term after 'not', got 'and'"},
      {"()", "constraint '()': column 2: expected a term after '(', got ')'"},
      {"(a", "constraint '(a': column 1: '(' is not closed"},
      {"x (a | (b)", "constraint 'x (a | (b)': column 3: '(' is not closed"},
      {"(a))", "constraint '(a))': column 4: ')' without '('"},
      {"a )", "constraint 'a )': column 3: ')' without '('"},
      {"-(a|b)", "constraint '-(a|b)': column 1: '-' negates one term only: write 'not (…)'"},
      {"--a", "constraint '--a': column 2: expected a term after '-', got '-'"},
      {"-", "constraint '-': column 2: expected a term after '-', got the end"},
      {"a:", "constraint 'a:': column 1: unknown operator 'a' (operators are properties, hosts and ranks)"},
      {"foo and host:", "constraint 'foo and host:': column 9: 'host:' needs a value"},
      {"hots:n1", "constraint 'hots:n1': column 1: unknown operator 'hots' (did you mean 'host'?)"},
      {"4g,host:foo",
       "constraint '4g,host:foo': column 1: unknown operator '4g,host' "
       "(operators are properties, hosts and ranks)"},
      {"''", "constraint '''': column 1: the term is empty"},
      {"a 'b", "constraint 'a 'b': column 3: the quote \"'\" is not closed"},
      {"a \"b'", "constraint 'a \"b'': column 3: the quote '\"' is not closed"},
      {"a,,b", "constraint 'a,,b': column 1: '': a property needs a name"},
      {"gpu a!b", "constraint 'gpu a!b': column 5: property 'a!b' has the illegal character '!'"},
      {"größe ('", "constraint 'größe ('': column 8: the quote \"'\" is not closed"},
      {"host:n[1-",
       "constraint 'host:n[1-': column 1: invalid hostlist 'n[1-': expected a number at character 5"},
      {"rank:1-0",
       "constraint 'rank:1-0': column 1: invalid idset '1-0': range '1-0' does not ascend at "
       "character 1"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal(text), message);
}

TEST(ConstraintSyntax, a_constraint_is_told_as_it_would_be_written) {
  // With the fewest parentheses, quotes where they are needed, the nodes of a queue by its name; nothing for
  // what cannot be said. The text, read again, is the constraint.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"properties":["gpu"]})", "gpu"},
      {R"({"properties":["gpu","big"]})", "gpu and big"},
      {R"({"hostlist":["node[1-2]","x"]})", "host:node[1-2],x"},
      {R"({"ranks":["0-3"]})", "rank:0-3"},
      {R"({"not":[{"properties":["a"]}]})", "not a"},
      {R"({"not":[{"properties":["a","b"]}]})", "not (a and b)"},
      {R"({"not":[{"properties":["a"]},{"ranks":["0"]}]})", "not (a and rank:0)"},
      {R"({"and":[{"or":[{"properties":["a"]},{"properties":["b"]}]},{"ranks":["0"]}]})",
       "(a or b) and rank:0"},
      {R"({"or":[{"properties":["a","b"]},{"not":[{"ranks":["0"]}]}]})", "a and b or not rank:0"},
      {R"({"and":[{"ranks":["0"]}]})", "rank:0"},
      {R"({"properties":["-a","and","x y","a:b"]})", "'-a' and 'and' and 'x y' and properties:a:b"},
  };
  for (const auto& [constraint, text] : cases) {
    EXPECT_EQ(format_constraint_syntax(json::parse(constraint)), text);
    const auto canonical = [](const json& object) {
      return Constraint::from_json_text(object.dump()).canonical();
    };
    EXPECT_EQ(canonical(parse_constraint_syntax(text)), canonical(json::parse(constraint))) << text;
  }
  EXPECT_EQ(format_constraint_syntax(json::parse(R"({"properties":["+batch"]})")), "queue:batch");
  for (const char* silent : {"{}", R"({"and":[]})", R"({"not":[]})", R"({"or":[{},{"ranks":["0"]}]})"}) {
    EXPECT_EQ(format_constraint_syntax(json::parse(silent)), std::nullopt) << silent;
  }
}

TEST(ConstraintSyntax, nesting_is_bounded) {
  // Parentheses, negations and alternating operators nest so deep and no deeper, however long the text.
  const std::string open(100'000, '(');
  EXPECT_NE(refusal(open).find("column 33: constraints nest at most 32 deep"), std::string::npos);
  std::string nots;
  for (int i = 0; i < 10'000; ++i) nots += "not ";
  EXPECT_NE(refusal(nots + "a").find("constraints nest at most 32 deep"), std::string::npos);
  std::string mixed = "a";
  for (int i = 0; i < 20; ++i) mixed = "r|h&(" + mixed + "|s)";
  EXPECT_NE(refusal(mixed).find("constraints nest at most 32 deep"), std::string::npos);
}

TEST(ConstraintSyntax, long_texts_take_time_in_proportion) {
  // Thirty thousand terms in a row are read, whatever joins them.
  std::string blank, bar, hosts;
  for (int i = 0; i < 30'000; ++i) {
    blank += "p" + std::to_string(i) + ' ';
    bar += (i > 0 ? "|p" : "p") + std::to_string(i);
    hosts += "host:n" + std::to_string(i) + ' ';
  }
  EXPECT_EQ(parse_constraint_syntax(blank)["properties"].size(), 30'000U);
  EXPECT_EQ(parse_constraint_syntax(bar)["or"].size(), 30'000U);
  EXPECT_EQ(parse_constraint_syntax(hosts)["and"].size(), 30'000U);
}

TEST(ConstraintSyntax, several_texts_are_joined_whole) {
  // Each --requires is closed in itself, so that their order changes nothing but the order.
  const auto joined = [](const std::vector<std::string>& texts) { return parse_constraint_syntax(texts); };
  EXPECT_EQ(joined({"a|b", "c"}).dump(), parse_syntax("(a|b)&c"));
  EXPECT_EQ(Constraint::parse(JsonAt{joined({"c|d", "a|b"}), ""}).canonical(),
            Constraint::parse(JsonAt{joined({"a|b", "c|d"}), ""}).canonical());
  EXPECT_EQ(joined({"a", "", "a,b"}).dump(), R"({"properties":["a","b"]})");
  EXPECT_EQ(joined({}).dump(), "{}");
  EXPECT_EQ(error_text([&] {
              return joined({"a", "(b", "c)"});
            }),
            "constraint '(b': column 1: '(' is not closed");
}

// ---- laws

ResourceSet eight_nodes() {
  ResourceSet set;
  for (std::uint32_t rank = 0; rank < 16; ++rank) set.add({rank, "n" + std::to_string(rank), {0}, {}});
  for (std::uint32_t bit = 0; bit < 4; ++bit) {
    Idset ranks;
    for (std::uint32_t rank = 0; rank < 16; ++rank) {
      if ((rank >> bit & 1U) != 0) ranks.insert(rank);
    }
    set.set_property(std::string(1, static_cast<char>('a' + bit)), ranks);
  }
  return set;
}

/// A text, and the ranks of eight_nodes() for which it holds: bit N stands for rank N, on which property a
/// holds if bit 0 of N is set, b if bit 1 is, and so on.
struct Meant {
  std::string text;
  std::uint32_t ranks;
};

Meant some_expression(int depth) {
  constexpr std::uint32_t kAll = 0xffff;
  constexpr std::uint32_t kProperty[] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};
  const int kind = *rc::gen::inRange(0, depth > 0 ? 7 : 3);
  if (kind == 0 || kind == 1) {
    const int property = *rc::gen::inRange(0, 4);
    const std::string name(1, static_cast<char>('a' + property));
    return kind == 0 ? Meant{name, kProperty[property]} : Meant{"-" + name, kAll & ~kProperty[property]};
  }
  if (kind == 2) return {"host:n[0-7]", 0x00ff};
  Meant left = some_expression(depth - 1);
  if (kind == 3) return {"not (" + left.text + ")", kAll & ~left.ranks};
  const Meant right = some_expression(depth - 1);
  const std::string both = "(" + left.text + ")";
  if (kind == 4) return {both + " or (" + right.text + ")", left.ranks | right.ranks};
  if (kind == 5) return {both + "&&(" + right.text + ")", left.ranks & right.ranks};
  return {both + " (" + right.text + ")", left.ranks & right.ranks};
}

TEST(ConstraintSyntax, means_what_its_logic_means) {
  // For any expression in parentheses the object matches the ranks that the logic gives.
  const ResourceSet set = eight_nodes();
  EXPECT_TRUE(rc::check("logic", [&] {
    const Meant meant = some_expression(4);
    std::uint32_t ranks = 0;
    const json object = parse_constraint_syntax(meant.text);
    Constraint::parse(JsonAt{object, ""}).match(set).for_each([&](std::uint32_t rank) {
      ranks |= 1U << rank;
    });
    RC_ASSERT(ranks == meant.ranks);
  }));
}

TEST(ConstraintSyntax, any_text_is_read_or_refused) {
  // Whatever the text, the answer is an Error{invalid} or an object that Constraint accepts.
  EXPECT_TRUE(rc::check("any text", [] {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string{"ab:&|()-'\" ,^notrandks[0]\xc3"}));
    try {
      const json object = parse_constraint_syntax(text);
      (void)Constraint::parse(JsonAt{object, ""});
    } catch (const Error& failure) {
      RC_ASSERT(failure.kind() == Kind::invalid);
    }
  }));
}

}  // namespace
}  // namespace fq::document
