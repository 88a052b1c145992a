#include "document/event/output.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/error.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

using nlohmann::json;
using notation::Idset;

constexpr double kTime = 1552593348.073045;

const std::string kHeader =
    R"({"timestamp":1552593348.073045,"name":"header","context":{"version":1,)"
    R"("encoding":{"stdout":"base64","stderr":"UTF-8"},"count":{"stdout":2,"stderr":2},"options":{}}})";

/// A decoder that has read the RFC's header.
OutputDecoder after_header() {
  OutputDecoder decoder;
  (void)decoder.decode(decode_event(kHeader));
  return decoder;
}

OutputDecoder::Item decode(const std::string& line) {
  return after_header().decode(decode_event(line));
}
std::string event(const std::string& name, const std::string& context) {
  return R"({"timestamp":1.5,"name":")" + name + R"(","context":)" + context + "}";
}
std::string refusal(const std::string& name, const std::string& context) {
  return error_text([&] { return decode(event(name, context)); });
}

TEST(Output, examples_of_RFC_24) {
  // The RFC's header, data and redirect events are read as it explains them.
  OutputDecoder decoder;
  const auto header = decoder.decode(decode_event(kHeader));
  const OutputHeader expected{
      {{"stdout", {OutputEncoding::base64, 2}}, {"stderr", {OutputEncoding::utf8, 2}}}};
  EXPECT_EQ(std::get<OutputHeader>(header), expected);
  EXPECT_EQ(decoder.header(), expected);
  const auto data = decoder.decode(decode_event(
      R"({"timestamp":1552593349.1,"name":"data","context":{"stream":"stdout","rank":"31","data":"bWVlcAo=","eof":"true"}})"));
  EXPECT_EQ(std::get<OutputChunk>(data), (OutputChunk{"stdout", {false, {31}}, "meep\n", true}));
  const auto redirect = decoder.decode(decode_event(
      R"({"timestamp":1552593350.4,"name":"redirect","context":{"stream":"stdout","path":"job.output"}})"));
  EXPECT_EQ(std::get<OutputRedirect>(redirect), (OutputRedirect{"stdout", {true, {}}, "job.output"}));
}

TEST(Output, events_are_written_as_lines) {
  // Each kind of event has one text, with the optional keys only where they say something.
  EXPECT_EQ(encode_event(output_header_event(kTime, OutputHeader::for_tasks(4))),
            R"({"timestamp":1552593348.073045,"name":"header","context":{"count":{"stderr":4,"stdout":4},)"
            R"("encoding":{"stderr":"UTF-8","stdout":"UTF-8"},"options":{},"version":1}})"
            "\n");
  EXPECT_EQ(encode_event(output_data_event(1.5, {"stdout", {false, {0, 1, 5}}, "hello\n", false})),
            R"({"timestamp":1.5,"name":"data","context":{"data":"hello\n","rank":"0-1,5","stream":"stdout"}})"
            "\n");
  EXPECT_EQ(encode_event(output_data_event(1.5, {"stdout", {true, {}}, "a\xff", true})),
            R"({"timestamp":1.5,"name":"data","context":)"
            R"({"data":"Yf8=","encoding":"base64","eof":true,"rank":"all","stream":"stdout"}})"
            "\n");
  EXPECT_EQ(
      encode_event(output_data_event(1.5, {"x", {false, {0}}, "abc", false}, OutputEncoding::base64, 3)),
      R"({"timestamp":1.5,"name":"data","context":{"data":"YWJj","rank":"0","repeat":3,"stream":"x"}})"
      "\n");
  EXPECT_EQ(
      encode_event(output_redirect_event(1.5, {"stderr", {false, {0, 1}}, "job.err"})),
      R"({"timestamp":1.5,"name":"redirect","context":{"path":"job.err","rank":"0-1","stream":"stderr"}})"
      "\n");
  EXPECT_EQ(encode_event(output_log_event(1.5, {3, "no such file", {}, "", "", "", {}})),
            R"({"timestamp":1.5,"name":"log","context":{"level":3,"message":"no such file"}})"
            "\n");
}

TEST(Output, repeated_data_is_written_out) {
  // repeat copies come back as one chunk; more bytes than the bound are refused before they are made.
  EXPECT_EQ(
      std::get<OutputChunk>(decode(event("data", R"({"stream":"stderr","rank":"0","data":"ab","repeat":3})")))
          .data,
      "ababab");
  EXPECT_EQ(std::get<OutputChunk>(
                decode(event("data", R"({"stream":"stderr","rank":"0","data":"","repeat":9000000000000})")))
                .data,
            "");
  EXPECT_EQ(refusal("data", R"({"stream":"stderr","rank":"0","data":"ab","repeat":33554433})"),
            "output: data.repeat: 33554433 copies of 2 bytes exceed 67108864 bytes");
  EXPECT_EQ(refusal("data", R"({"stream":"stderr","rank":"0","data":"ab","repeat":0})").substr(0, 60),
            "output: data.repeat: expected an integer from 1 to 922337203");
}

TEST(Output, an_event_may_have_its_own_encoding) {
  // The encoding of the event wins over the header's for its stream.
  EXPECT_EQ(
      std::get<OutputChunk>(
          decode(event("data", R"({"stream":"stdout","rank":"0","data":"bWVlcAo=","encoding":"UTF-8"})")))
          .data,
      "bWVlcAo=");
  EXPECT_EQ(
      std::get<OutputChunk>(
          decode(event("data", R"({"stream":"stderr","rank":"0","data":"bWVlcAo=","encoding":"base64"})")))
          .data,
      "meep\n");
}

TEST(Output, log_events_keep_what_they_say) {
  // All keys of a log event return from its text.
  const OutputLog log{7, "größer", 3, "fq-shell", "pmi", "pmi.cc", 42};
  EXPECT_EQ(std::get<OutputLog>(decode(encode_event(output_log_event(1.5, log)))), log);
  const OutputLog plain{0, "", {}, "", "", "", {}};
  EXPECT_EQ(std::get<OutputLog>(decode(encode_event(output_log_event(1.5, plain)))), plain);
}

TEST(Output, unknown_events_are_passed_over) {
  // An event that RFC 24 does not name is no error, before the header or after.
  EXPECT_TRUE(std::holds_alternative<std::monostate>(decode(event("memo", "{}"))));
  EXPECT_TRUE(
      std::holds_alternative<std::monostate>(OutputDecoder{}.decode(decode_event(event("memo", "{}")))));
}

TEST(Output, failures_name_the_event_and_key) {
  // What does not follow RFC 24 is refused with the event, the key and what would be right.
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"header", "{}", "output: a second 'header' event"},
      {"data", "{}", "output: data: missing key 'stream'"},
      {"data", R"({"stream":"stdlog","rank":"0"})",
       "output: data.stream: stream 'stdlog' is not in the header, which has stderr, stdout"},
      {"data", R"({"stream":"stdout"})", "output: data: missing key 'rank'"},
      {"data", R"({"stream":"stdout","rank":0})", "output: data.rank: expected a string, got an integer"},
      {"data", R"({"stream":"stdout","rank":"x"})",
       "output: data.rank: invalid idset 'x': expected a number at character 1"},
      {"data", R"({"stream":"stdout","rank":"0","eof":1})",
       "output: data.eof: expected a boolean, got an integer"},
      {"data", R"({"stream":"stdout","rank":"0","data":"!"})",
       "output: data.data: base64: expected a multiple of 4 characters, got 1"},
      {"data", R"({"stream":"stderr","rank":"0","data":"x","encoding":"utf16"})",
       "output: data.encoding: expected 'UTF-8' or 'base64', got 'utf16'"},
      {"redirect", R"({"stream":"x","rank":"0"})",
       "output: redirect.stream: stream 'x' is not in the header, which has stderr, stdout"},
      {"redirect", R"({"stream":"stdout","path":1})",
       "output: redirect.path: expected a string, got an integer"},
      {"log", R"({"message":"x"})", "output: log: missing key 'level'"},
      {"log", R"({"level":8,"message":"x"})", "output: log.level: expected an integer from 0 to 7, got 8"},
      {"log", R"({"level":1})", "output: log: missing key 'message'"},
      {"log", R"({"level":1,"message":"x","line":-1})",
       "output: log.line: expected an integer from 0 to 9223372036854775807, got -1"},
  };
  for (const auto& [name, context, message] : cases) EXPECT_EQ(refusal(name, context), message);

  const auto first = [](const std::string& name, const std::string& context) {
    return error_text([&] { return OutputDecoder{}.decode(decode_event(event(name, context))); });
  };
  EXPECT_EQ(first("data", "{}"), "output: a 'data' event before the header");
  EXPECT_EQ(first("header", R"({"version":2,"encoding":{},"count":{},"options":{}})"),
            "output: header.version: expected 1, got 2");
  EXPECT_EQ(first("header", R"({"version":1,"encoding":{},"count":{"stdout":1},"options":{}})"),
            "output: header.count: stream 'stdout' has no encoding");
  EXPECT_EQ(first("header", R"({"version":1,"encoding":{"a":"x"},"count":{},"options":{}})"),
            "output: header.encoding.a: expected 'UTF-8' or 'base64', got 'x'");
  EXPECT_EQ(first("header", R"({"version":1,"encoding":{},"count":{}})"),
            "output: header: missing key 'options'");
}

TEST(Output, ends_when_every_writer_has_ended) {
  // The log is finished when each stream has as many ends, or redirections, as the header expects writers.
  OutputDecoder decoder;
  const auto feed = [&](const Event& next) { (void)decoder.decode(next); };
  EXPECT_FALSE(decoder.finished());
  feed(output_header_event(1, OutputHeader::for_tasks(3)));
  EXPECT_FALSE(decoder.finished());
  feed(output_data_event(1, {"stdout", {false, {0, 1}}, "", true}));
  feed(output_data_event(1, {"stdout", {false, {1}}, "", true}));
  feed(output_redirect_event(1, {"stderr", {true, {}}, "f"}));
  EXPECT_FALSE(decoder.finished());
  feed(output_data_event(1, {"stdout", {false, {2}}, "x", true}));
  EXPECT_TRUE(decoder.finished());
  OutputDecoder none;
  (void)none.decode(output_header_event(1, OutputHeader::for_tasks(0)));
  EXPECT_TRUE(none.finished());
}

TEST(OutputRanks, are_all_or_an_idset) {
  // `all` contains every rank, an idset its own; both return from their text.
  EXPECT_TRUE(OutputRanks::decode("all").contains(4'000'000'000U));
  EXPECT_TRUE(OutputRanks::decode("0-3").contains(3));
  EXPECT_FALSE(OutputRanks::decode("0-3").contains(4));
  EXPECT_EQ(OutputRanks::decode("all").encode(), "all");
  EXPECT_EQ(OutputRanks::decode("0,1,2").encode(), "0-2");
}

// ---- the encoder

std::string texts(const std::vector<Event>& events) {
  std::string out;
  for (const Event& next : events) out += next.context.dump();
  return out;
}

TEST(OutputEncoder, holds_back_a_split_character) {
  // The first bytes of a character wait for the rest; what can never become one goes as base64 at once.
  struct Case {
    std::string first;
    std::size_t pending;
  };
  const std::vector<Case> cases = {
      {"abc", 0},      {"a\xc3", 1},        {"\xe2\x82", 2},     {"\xf0\x9f\x98", 3}, {"\xe2\x82\xac", 0},
      {"\x80", 0},     {"\xc3\x28", 0},     {"\xff", 0},         {"\xc0", 0},         {"\xed\xa0", 0},
      {"\xed\x9f", 2}, {"\xf4\x90", 0},     {"\xf4\x8f\xbf", 3}, {"\xe0", 1},         {"\xe0\x80", 0},
      {"\xf0", 1},     {"\xf0\x8f\xbf", 0}, {"\xf5", 0},         {"\x80\x80\x80", 0}, {"", 0},
  };
  for (const Case& test : cases) {
    OutputEncoder encoder("stdout", Idset{0});
    (void)encoder.write(1, test.first);
    EXPECT_EQ(encoder.pending(), test.pending)
        << json(test.first).dump(-1, ' ', true, json::error_handler_t::replace);
  }
}

TEST(OutputEncoder, writes_text_as_text) {
  // A character split over three reads comes out whole with the last of them.
  OutputEncoder encoder("stdout", Idset{7});
  EXPECT_EQ(texts(encoder.write(1, "caf\xc3")), R"({"data":"caf","rank":"7","stream":"stdout"})");
  EXPECT_EQ(texts(encoder.write(1, "\xa9 \xe2")), R"({"data":"é ","rank":"7","stream":"stdout"})");
  EXPECT_EQ(texts(encoder.write(1, "\x82")), "");
  EXPECT_EQ(texts(encoder.write(1, "\xac\n")), R"({"data":"€\n","rank":"7","stream":"stdout"})");
  EXPECT_EQ(texts(encoder.close(2)), R"({"eof":true,"rank":"7","stream":"stdout"})");
}

TEST(OutputEncoder, control_characters_do_not_swell_the_log) {
  // Six bytes each as JSON text; where there are many, base64 is shorter. A few colours stay readable.
  OutputEncoder encoder("stdout", Idset{0});
  const auto zeros = encoder.write(1, std::string(3000, '\0'));
  EXPECT_EQ(zeros.at(0).context.at("encoding"), "base64");
  EXPECT_EQ(zeros.at(0).context.at("data").get<std::string>().size(), 4000U);
  const std::string coloured = "\x1b[31m a line of red text, as programs print it\x1b[0m\n";
  EXPECT_EQ(encoder.write(1, coloured).at(0).context.at("data"), coloured);
}

TEST(OutputEncoder, close_gives_what_is_held_back) {
  // A character that never becomes whole is not lost: it goes as base64 with the end of the stream.
  OutputEncoder encoder("stdout", Idset{0});
  EXPECT_EQ(texts(encoder.write(1, "\xe2\x82")), "");
  EXPECT_EQ(texts(encoder.close(2)),
            R"({"data":"4oI=","encoding":"base64","eof":true,"rank":"0","stream":"stdout"})");
}

TEST(OutputEncoder, long_data_is_cut_between_characters) {
  // Events hold at most kMaxData bytes, and none of them splits a character.
  std::string text = "x";
  while (text.size() < 3 * OutputEncoder::kMaxData) text += "€";
  OutputEncoder encoder("stdout", Idset{0});
  std::string back;
  for (const Event& next : encoder.write(1, text)) {
    EXPECT_FALSE(next.context.contains("encoding"));
    EXPECT_LE(next.context["data"].get<std::string>().size(), OutputEncoder::kMaxData);
    back += next.context["data"].get<std::string>();
  }
  EXPECT_EQ(back, text);
}

TEST(OutputEncoder, every_byte_returns_from_the_log) {
  // Whatever the bytes and however reads cut them, the log's lines give them back, then the end.
  EXPECT_TRUE(rc::check("bytes", [] {
    const auto encoding = *rc::gen::element(OutputEncoding::utf8, OutputEncoding::base64);
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(
        rc::gen::elementOf(std::string{"a\n\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xff\0", 14})));
    OutputHeader header = OutputHeader::for_tasks(1);
    header.streams["stdout"].encoding = encoding;
    std::string log = encode_event(output_header_event(1, header));
    OutputEncoder encoder("stdout", Idset{0}, encoding);
    std::string expected;
    for (const std::string& piece : pieces) {
      expected += piece;
      for (const Event& next : encoder.write(1, piece)) append_event(log, next);
      RC_ASSERT(encoder.pending() <= 3U);
    }
    for (const Event& next : encoder.close(2)) append_event(log, next);
    OutputDecoder decoder;
    std::string back;
    bool eof = false;
    for (const Event& next : decode_eventlog(log)) {
      const auto item = decoder.decode(next);
      if (const auto* chunk = std::get_if<OutputChunk>(&item)) {
        RC_ASSERT(!eof);
        back += chunk->data;
        eof = chunk->eof;
      }
    }
    RC_ASSERT(back == expected);
    RC_ASSERT(eof);
  }));
}

TEST(OutputEncoder, text_stays_readable_however_it_is_cut) {
  // Valid UTF-8 never needs base64, wherever reads cut it.
  EXPECT_TRUE(rc::check("text", [] {
    const auto characters = *rc::gen::container<std::vector<std::string>>(
        rc::gen::element<std::string>("a", "é", "€", "😀", "\n"));
    std::string text;
    for (const std::string& character : characters) text += character;
    OutputEncoder encoder("stdout", Idset{0});
    for (const char byte : text) {
      for (const Event& next : encoder.write(1, std::string(1, byte)))
        RC_ASSERT(!next.context.contains("encoding"));
    }
    RC_ASSERT(encoder.pending() == 0U);
  }));
}

}  // namespace
}  // namespace fq::document
