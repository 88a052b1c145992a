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
      {"{\n \"a\":1, \"a\":2}", "x: line 2, column 9: the key 'a' is there twice"},
      {"[{\"b\":{\"a\":1}},{\"a\":1}]", "no error"},
      {open + close, "no error"},
      {open + "[]" + close, "x: line 1, column 129: nested more than 128 levels deep"},
      {"\n" + open + "{}" + close, "x: line 2, column 129: nested more than 128 levels deep"},
      {"[\"" + open + "[\\\"[\\\\\", \"" + open + "\"]", "no error"},
      {"\"never closed [[[[", "x: line 1, column 19: not valid JSON"},
      {"\xEF\xBB\xBF{\"a\":1}", "no error"},
      {"\xEF\xBB\xBF[1,\n}", "x: line 2, column 1: not valid JSON"},
      {"\xEF\xBB\xBF{\"a\":1,\n\"a\":2}", "x: line 2, column 1: the key 'a' is there twice"},
      {std::string("{}\0", 3), "x: line 1, column 3: not valid JSON"},
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
      {"ƒ\"\\/\b\f\n\r\t\x01\x7f", "\"ƒ\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u007f\""},
      {"a\xff", "\"a\xEF\xBF\xBD\""},
      {"\x1b[31m\x7f\u009B\u202E\uFEFFé", "\"\\u001b[31m\\u007f\\u009b\\u202e\\ufeffé\""},
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
