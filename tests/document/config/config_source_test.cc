// Configuration as it is written: TOML with the places of its keys.

#include "document/config/config_source.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

using File = ConfigSource::File;

/// The document of one file as JSON text, or what was wrong with it.
std::string read_source(const std::string& text) {
  std::string out;
  const std::string failure = error_text([&] {
    out = dump_json(ConfigSource({File{"fq.toml", text}}).document());
    return 0;
  });
  return failure == "no error" ? out : failure;
}

TEST(ConfigSource, R33_33_toml_becomes_json) {
  // Tables in every way that TOML has to write them; no text is an empty document.
  EXPECT_EQ(read_source(""), "{}");
  EXPECT_EQ(read_source("# nothing\n\n"), "{}");
  EXPECT_EQ(read_source("a.b = 1\n[c]\nd = \"x\"\ne = { f = [\"y\", 'z'] }\n[c.g]\nh = true\ni = 1.5\n"),
            R"({"a":{"b":1},"c":{"d":"x","e":{"f":["y","z"]},"g":{"h":true,"i":1.5}}})");
}

TEST(ConfigSource, syntax_errors_have_line_and_column) {
  // Of the place that is wrong, not of where the reader began; of two places the second.
  const struct {
    std::string text, expected;
  } kTable[] = {
      {"a = 1\nb = \n", "fq.toml:2:5: missing value after key-value separator '='"},
      {"a = 1\nb = 2\na = 3\n", "fq.toml:3:5: value (\"a\") already exists"},
      {"[a]\nb = 1\n[a]\n", "fq.toml:3:1: table (\"a\") already exists"},
      {"x = tru\n", "fq.toml:1:5: the next token is not a boolean"},
      {"x = 01\n", "fq.toml:1:5: bad integer: leading zero"},
      {"a = 1 b = 2\n", "fq.toml:1:7: invalid line format"},
      {"\n\n= 3\n", "fq.toml:3:1: empty key is not allowed"},
  };
  for (const auto& row : kTable) EXPECT_EQ(read_source(row.text), row.expected) << row.text;
}

TEST(ConfigSource, what_no_key_takes_is_refused) {
  // Dates, numbers that JSON lacks, bytes that are no text.
  EXPECT_EQ(read_source("a = 1\nb = 1979-05-27\n"),
            "fq.toml:2: no key takes a date or a time (durations are texts: \"1h\")");
  EXPECT_EQ(read_source("a = nan\n"), "fq.toml:1: the number is not finite");
  EXPECT_EQ(read_source("a = 1\nb = \"\xff\"\n"), "fq.toml:2: not UTF-8 text");
  EXPECT_EQ(read_source(std::string("a = 1\n\0", 7)), "fq.toml:2: not UTF-8 text");
  EXPECT_EQ(read_source("b = \"\\ud800\"\n").substr(0, 10), "fq.toml:1:");
}

TEST(ConfigSource, deep_nesting_and_long_files_are_refused) {
  // Whatever would follow it to the end of the stack; brackets and dots in texts and comments are none.
  const std::string deep = ": nested more than 32 levels deep";
  EXPECT_EQ(read_source("x = 1\na = " + std::string(100'000, '[')), "fq.toml:2" + deep);
  EXPECT_EQ(read_source("a = " + std::string(100'000, '{')), "fq.toml:1" + deep);
  std::string key = "a";
  for (int i = 0; i < 100'000; ++i) key += ".a";
  EXPECT_EQ(read_source(key + " = 1\n"), "fq.toml:1" + deep);
  const std::string brackets(100, '[');
  EXPECT_EQ(read_source("a = \"" + brackets + "\" # " + brackets + "\nb = '" + brackets + "'\n"),
            "{\"a\":\"" + brackets + "\",\"b\":\"" + brackets + "\"}");
  EXPECT_EQ(read_source("a = \"\"\"\n" + brackets + "\\\"\"\"\"\n"), "{\"a\":\"" + brackets + "\\\"\"}");
  EXPECT_EQ(read_source(std::string(ConfigSource::kMaxBytes + 1, '#')), "fq.toml: more than 8388608 bytes");
}

TEST(ConfigSource, files_are_joined) {
  // Tables become one; another key in two files is named with both places.
  const ConfigSource both({File{"a.toml", "[queues.a]\nparent = \"b\"\n"}, File{"b.toml", "[queues.b]\n"}});
  EXPECT_EQ(dump_json(both.document()), R"({"queues":{"a":{"parent":"b"},"b":{}}})");
  EXPECT_EQ(both.place({"queues", "b"}), "b.toml:1");
  EXPECT_EQ(both.place({"queues", "a", "parent"}), "a.toml:2");
  EXPECT_EQ(both.place({"queues", "a", "nosuch"}), "a.toml:1");
  EXPECT_EQ(
      error_text([] {
        return ConfigSource({File{"a.toml", "\n[queues.a]\nx.y = 1\n"}, File{"b.toml", "queues.a.x = 2\n"}})
            .document();
      }),
      "b.toml:1: queues.a.x: is set in a.toml:3 already");
}

TEST(ConfigAt, checks_say_where_and_what) {
  // File, line, path; TOML's word for an object.
  const ConfigSource source(
      {File{"fq.toml", "[t]\ns = 1\ni = \"x\"\nd = \"1 day\"\nl = [\"a\", 2]\nbig = 99\n"}});
  const ConfigAt table = *ConfigAt(source.document(), &source).find("t");
  EXPECT_EQ(error_text([&] { return table.find("s")->as_string(); }),
            "fq.toml:2: t.s: expected a string, got an integer");
  EXPECT_EQ(error_text([&] { return table.find("i")->as_integer(0, 9); }),
            "fq.toml:3: t.i: expected an integer, got a string");
  EXPECT_EQ(error_text([&] { return table.find("big")->as_integer(0, 9); }),
            "fq.toml:6: t.big: expected an integer from 0 to 9, got 99");
  EXPECT_EQ(error_text([&] { return table.find("d")->as_duration(); }),
            "fq.toml:4: t.d: invalid duration '1 day': unknown unit ' day', expected ms, s, m, h or d");
  EXPECT_EQ(error_text([&] { return table.find("l")->as_strings(); }),
            "fq.toml:5: t.l: expected an array of strings, got an integer in it");
  EXPECT_EQ(error_text([&] { return table.as_string(); }), "fq.toml:1: t: expected a string, got a table");
  EXPECT_EQ(error_text([&] { return table.find("s")->find("x"); }),
            "fq.toml:2: t.s: expected a table, got an integer");
  EXPECT_EQ(error_text([&] {
              table.allow_only({"s", "i", "d", "l", "bug"});
              return 0;
            }),
            "fq.toml:6: t.big: unknown key (did you mean 'bug'?)");
}

}  // namespace
}  // namespace fq::document
