// The fast reader against the library's own parser: the same values, the same refusals.

#include "base/json_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "base/json.h"

namespace fq {
namespace {

using nlohmann::json;

void expect_same(const std::string& text) {
  const json theirs = json::parse(text, nullptr, /*allow_exceptions=*/false);
  UnreadJson why;
  const auto ours = read_json(text, kMaxJsonDepth, kMaxJsonBytes, &why);
  if (why.duplicate) return;
  ASSERT_EQ(ours.has_value(), !theirs.is_discarded()) << text;
  if (!ours) return;
  EXPECT_EQ(*ours, theirs) << text;
  EXPECT_EQ(ours->dump(), theirs.dump()) << text;
  EXPECT_EQ(ours->type(), theirs.type()) << text;
}

TEST(JsonReader, reads_what_the_other_parser_reads) {
  // Every kind of value, the ends of the number ranges, escapes, blanks.
  for (const char* text : {"null",
                           "true",
                           " false ",
                           "0",
                           "-0",
                           "7",
                           "-7",
                           "4294967295",
                           "4294967296",
                           "-2147483649",
                           "9223372036854775807",
                           "9223372036854775808",
                           "18446744073709551615",
                           "18446744073709551616",
                           "-9223372036854775808",
                           "-9223372036854775809",
                           "1.5",
                           "-1.5e3",

                           "0.1",
                           "1795257931.4601645",
                           "5e-324",
                           "0e55",
                           "0E-65",
                           "-0.0",
                           "-0e9",
                           "1e22",
                           "123456789012345678901234567890e-20",
                           "1.7976931348623157e308",
                           "\"\"",
                           R"("a\"\\\/\b\f\n\r\tz")",
                           R"("\u00e9\ud83d\ude00")",
                           "\"ƒ日本\"",
                           "[]",
                           "{}",
                           "[1,[2,[3,{}]],\"x\"]",
                           R"({"a":1,"b":{"a":[null]},"c":{"a":2}})",
                           "[1E-400,-1e-400]",
                           R"({"b":1,"a":2,"":3})",
                           "\t\r\n{ \"a\" : [ 1 , 2 ] }\n"}) {
    expect_same(text);
  }
}

TEST(JsonReader, refuses_what_the_other_parser_refuses) {
  // Rubbish behind the value, open ends, bad numbers, bad text.
  for (const char* text : {"",
                           " ",
                           "{",
                           "}",
                           "[1",
                           "[1,]",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{'a':1}",
                           "01",
                           "1.",
                           ".5",
                           "+1",
                           "-",
                           "1e999",
                           "nan",
                           "Infinity",
                           "tru",
                           "1 2",
                           "{} x",
                           "\"a",
                           "\"\n\"",
                           "\"\\x\"",
                           "\"\\ud83d\"",
                           "\"\\ud83dx\"",
                           "\"\xff\"",
                           "\"\xc0\xaf\"",
                           "\"\xed\xa0\x80\"",
                           "// c\n1",
                           "[1 2]",
                           "{\"a\" 1}",
                           "\xef\xbb\xbf"
                           "1x"}) {
    const json theirs = json::parse(text, nullptr, false);
    EXPECT_TRUE(theirs.is_discarded()) << text;
    EXPECT_FALSE(read_json(text, kMaxJsonDepth, kMaxJsonBytes)) << text;
  }
  EXPECT_FALSE(read_json(std::string_view{"1\0 2", 4}, kMaxJsonDepth, kMaxJsonBytes));
  EXPECT_FALSE(read_json(std::string_view{"{}\0", 3}, kMaxJsonDepth, kMaxJsonBytes));
}

TEST(JsonReader, takes_no_key_twice) {
  // In whichever object, however it is written; the second time is told, by the place of its quote.
  const auto told = [](std::string_view text) {
    UnreadJson why;
    EXPECT_FALSE(read_json(text, kMaxJsonDepth, kMaxJsonBytes, &why)) << text;
    EXPECT_FALSE(why.too_large) << text;
    return why.duplicate ? fmt::format("{} {}", why.duplicate->key, why.duplicate->offset) : "none";
  };
  EXPECT_EQ(told(R"({"a":1,"b":2,"a":3})"), "a 13");
  EXPECT_EQ(told(R"({"a":1, "a" :1})"), "a 8");
  EXPECT_EQ(told(R"({"b":[{"x":{"":0,"":0}}]})"), " 17");
  EXPECT_EQ(told(R"({"ab":1,"\u0061b":2})"), "ab 8");
  EXPECT_EQ(told(R"({"\"\\":1,"\"\\":2})"), "\"\\ 10");
  EXPECT_EQ(told(R"({"a":1E-400,"a":2})"), "a 12");
  EXPECT_EQ(told(R"({"a":1,"b":})"), "none");
}

TEST(JsonReader, nests_no_deeper_than_allowed) {
  // Brackets of both kinds count.
  EXPECT_TRUE(read_json("[[{\"a\":[]}]]", 4, kMaxJsonBytes));
  EXPECT_FALSE(read_json("[[{\"a\":[]}]]", 3, kMaxJsonBytes));
  EXPECT_FALSE(read_json(std::string(1'000'000, '['), kMaxJsonDepth, kMaxJsonBytes));
}

TEST(JsonReader, takes_no_more_memory_than_allowed) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "what the heap has is not told with the sanitizer";
#endif
  // However its text is made, what the heap then has more is no more than was counted; and what fits is read.
  const std::string part(100, 'x');
  std::string members;
  for (int i = 0; i < 10'000; ++i)
    members += fmt::format("{}\"{}\":{}", i == 0 ? "" : ",", i, i % 2 == 0 ? "[]" : "7");
  const auto list = [](std::string_view item) {
    std::string text = "[";
    for (int i = 0; i < 10'000; ++i) text.append(i == 0 ? "" : ",").append(item);
    return text + "]";
  };
  for (const std::string& text : {list("0"), list("[]"), list("{}"), list("\"\""), list("[[]]"),
                                  list("{\"\":0}"), list("\"" + part + "\""), list("[0,0,0]"),
                                  "{" + members + "}", list("{\"" + part + "\":\"" + part + "\"}")}) {
    std::size_t low = 0, high = 32U << 20U;
    while (high - low > 1024) {
      UnreadJson why;
      const std::size_t middle = (low + high) / 2;
      const bool fits = read_json(text, kMaxJsonDepth, middle, &why).has_value();
      EXPECT_EQ(why.too_large, !fits);
      (fits ? high : low) = middle;
    }
    const auto in_use = [] { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; };
    const std::size_t before = in_use();
    const auto value = read_json(text, kMaxJsonDepth, high);
    const std::size_t taken = in_use() - before;
    EXPECT_TRUE(value);
    EXPECT_LE(taken, high + 1024) << text.substr(0, 20);
    EXPECT_LE(high, 3 * taken) << text.substr(0, 20);
  }
}

TEST(JsonReader, agrees_on_documents_that_were_spoiled) {
  // A document with one character replaced, taken out or put in is read alike, or refused by both.
  const std::string document =
      R"({"version":1,"resources":[{"type":"slot","count":2,"with":[{"type":"core","count":1}]}],)"
      R"("t":-12.5e-3,"s":"a\u00e9\n","l":[true,false,null,[],{}]})";
  rc::check([&] {
    std::string text = document;
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const char c = *rc::gen::elementOf(std::string("{}[]\",:0-+.eEtn \\u\x80\xc3"));
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text[at] = c;
        break;
      case 1:
        text.erase(at, 1);
        break;
      default:
        text.insert(at, 1, c);
    }
    expect_same(text);
  });
}

}  // namespace
}  // namespace fq
