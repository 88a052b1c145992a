#include "base/json.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/error_text.h"

namespace fq {
namespace {

using nlohmann::json;

TEST(Json, Names_line_and_column_of_bad_text) {
  // Text that is no JSON, nests too deep or holds a number beyond a double is refused in words.
  const std::string open(kMaxJsonDepth, '[');
  const std::string close(kMaxJsonDepth, ']');
  const std::pair<std::string, const char*> cases[] = {
      {"", "x: line 1, column 1: not valid JSON"},
      {"{\n \"a\": tru }", "x: line 2, column 10: not valid JSON"},
      {"[1] 2", "x: line 1, column 5: not valid JSON"},
      {"\"\xff\"", "x: line 1, column 2: not valid JSON"},
      {"[1e999]", "x: a number is too large"},
      {open + close, "no error"},
      {open + "[]" + close, "x: line 1, column 129: nested more than 128 levels deep"},
      {"\n" + open + "{}" + close, "x: line 2, column 129: nested more than 128 levels deep"},
      {"[\"" + open + "[\\\"[\\\\\", \"" + open + "\"]", "no error"},
      {"\"never closed [[[[", "x: line 1, column 19: not valid JSON"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_text([&] { return parse_json(text, "x"); }), message) << text;
  }
}

TEST(Json, Prints_compact_text) {
  // Members are in alphabetic order, reals stay reals, and what JSON cannot hold is replaced.
  const std::pair<json, const char*> cases[] = {
      {{{"b", {1, -2, 0.5}}, {"a", {{"x", nullptr}, {"y", true}}}},
       R"({"a":{"x":null,"y":true},"b":[1,-2,0.5]})"},
      {json::array(), "[]"},
      {json::object(), "{}"},
      {3600.0, "3600.0"},
      {1e300, "1e+300"},
      {std::numeric_limits<std::uint64_t>::max(), "18446744073709551615"},
      {std::numeric_limits<double>::infinity(), "null"},
      {"ƒ\"\\/\b\f\n\r\t\x01\x7f", "\"ƒ\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\x7f\""},
      {"a\xff", "\"a\xEF\xBF\xBD\""},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(dump_json(value), text);
}

TEST(Json, Names_the_path_of_what_is_wrong) {
  // Access by path says where it stands; at an empty path the message stands alone.
  const json value = json::parse(R"({"a":[{"b":"x"}],"name":1.5})");
  const JsonAt root{value, ""};
  EXPECT_EQ(error_text([&] { return root.at("a").at(0).at("b").as_integer(); }),
            "a[0].b: expected an integer, got a string");
  EXPECT_EQ(error_text([&] { return root.at("c"); }), "missing key 'c'");
  EXPECT_EQ(error_text([&] { root.allow_only({"a", "nam"}); }), "unknown key 'name' (did you mean 'nam'?)");
  EXPECT_EQ(error_text([&] { root.at("a").at(0).allow_only({"a"}); }), "a[0]: unknown key 'b'");
}

/// `text` as nlohmann::json's own parser reads it, printed; the same word where it is refused.
std::string reference(const std::string& text) {
  try {
    const json value = json::parse(text);
    return std::string{json_type_name(value)} + " " + value.dump();
  } catch (const json::exception&) {
    return "refused";
  }
}
std::string ours(const std::string& text) {
  try {
    const json value = parse_json(text, "x");
    return std::string{json_type_name(value)} + " " + value.dump();
  } catch (const Error&) {
    return "refused";
  }
}

TEST(Json, Reads_what_the_reference_reads) {
  // Every kind of value, every escape, every limit of numbers: accepted or refused alike, with the same
  // value.
  const std::string texts[] = {
      "", " ", "null", "true", "false", "nul", "nulll", "True", "tru", "{}", "[]", " [ ] ", "{ }", "[1]",
      "[1,]", "[,1]", "[1 2]", "[1", "]", "{", "}", "{\"a\":1}", "{\"a\":1,}", "{\"a\" 1}", "{\"a\":}",
      "{a:1}", "{1:1}", "{\"b\":1,\"a\":2,\"b\":3}", "{\"a\":1,\"a\":{\"c\":[]},\"Z\":null}",
      "[[],{},[[{}]]]", "1 2", "1,", "/**/1", "\xef\xbb\xbf[1]", "\xef\xbb[1]", "\xef\xbb\xbf",
      "[1]\xef\xbb\xbf", "\t\n\r 1", "\v1", "\xc2\xa0 1", std::string{"\0", 1}, std::string{"\"\0\"", 3},
      // numbers
      "0", "-0", "-", "+1", "01", "-01", "00", "1.", ".5", "1.5", "-1.5", "1.5.5", "1e", "1e+", "1e5", "1E-5",
      "1e+05", "0e0", "0.0", "-0.0", "0e999", "-0e-999999999999999999999", "9007199254740993",
      "18446744073709551615", "18446744073709551616", "-9223372036854775808", "-9223372036854775809",
      "123456789012345678901234567890", "1e308", "1e309", "-1e309", "1e-400", "-1e-400", "5e-324", "2e-324",
      "3e-324", "0.1e310", "0.01e310", "10e308", "1e99999999999999999999", "1e-99999999999999999999", "0x10",
      "1_0", "NaN", "Infinity", "-Infinity", "1a", "0.30000000000000004", "2.2250738585072011e-308",
      "1.7976931348623157e308", "1.7976931348623159e308", "1" + std::string(400, '0'),
      "1" + std::string(400, '0') + "e-400", "0." + std::string(400, '0') + "1",
      "0." + std::string(400, '0') + "1e401", "1" + std::string(400, '0') + "e-1000",
      // strings
      "\"\"", "\"a\"", "\"a", "\"\\", "\"\\\"", "\"\\\"\"", "\"\\a\"", "\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\n\"",
      "\"\t\"", "\"\x1f\"", "\"\x7f\"", "'a'", "\"ƒ\"", "\"a€b😀c\"", "\"\xff\"", "\"\xc3\"", "\"\xc0\x80\"",
      "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", "\"\\u0041\\u00e9\\u20AC\"", "\"\\u0000\"",
      "\"\\u12\"", "\"\\u12g4\"", "\"\\uD83D\\uDE00\"", "\"\\uD83D\"", "\"\\uD83Dx\"", "\"\\uD83D\\n\"",
      "\"\\uD83D\\u0041\"", "\"\\uDE00\"", "\"\\ud83d\\ud83d\"", "\"\\U0041\"", "\"x\\u0041",
      "\"plain then \\\"quoted\\\" then é\""};
  for (const std::string& text : texts) EXPECT_EQ(ours(text), reference(text)) << text;
  // The reference takes NUL for the end of the text.
  EXPECT_EQ(ours(std::string{"1\0", 2}), "refused");
}

TEST(Json, Says_where_a_text_is_wrong) {
  // The first character that cannot stand where it does; the depth and the size of numbers have their own
  // words.
  const std::string deep = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_EQ(parse_json(deep, "x").dump(), deep);
  const std::pair<std::string, std::string> cases[] = {
      {"", "x: line 1, column 1: not valid JSON"},
      {"{\"a\":1,\n \"b\":tru}", "x: line 2, column 9: not valid JSON"},
      {"{\"a\"\n\n:1 \"b\"", "x: line 3, column 4: not valid JSON"},
      {"[1,2", "x: line 1, column 5: not valid JSON"},
      {"[1] x", "x: line 1, column 5: not valid JSON"},
      {"\"a\nb\"", "x: line 1, column 3: not valid JSON"},
      {"\"é\xff\"", "x: line 1, column 4: not valid JSON"},
      {"[1e999]", "x: a number is too large"},
      {"[" + deep + "]", "x: line 1, column 129: nested more than 128 levels deep"},
      {std::string(100'000, '['), "x: line 1, column 129: nested more than 128 levels deep"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_text([&] { return parse_json(text, "x"); }), message) << text;
  }
}

TEST(Json, splits_texts_that_follow_each_other) {
  // Objects and arrays are cut where their brackets close; brackets and quotes in strings do not count.
  const std::pair<std::string, std::vector<std::string_view>> cases[] = {
      {"", {}},
      {" \n ", {}},
      {"{}", {"{}"}},
      {" {\"a\":[1,{}]} ", {"{\"a\":[1,{}]}"}},
      {"{}{}", {"{}", "{}"}},
      {"{\"a\":1}\n\n[2]\n", {"{\"a\":1}", "[2]"}},
      {R"({"}":"\\\""}{"{\\":1})", {R"({"}":"\\\""})", R"({"{\\":1})"}},
      {"{} x", {"{}", "x"}},
      {"x {}", {"x {}"}},
      {"{}}{}", {"{}", "}", "{}"}},
      {"{} {\"a\":", {"{}", "{\"a\":"}},
      {"{} \"{", {"{}", "\"{"}},
  };
  for (const auto& [text, pieces] : cases) EXPECT_EQ(split_json(text), pieces) << text;
}

}  // namespace
}  // namespace fq
