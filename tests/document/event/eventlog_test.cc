#include "document/event/eventlog.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/file.h"
#include "base/json.h"
#include "support/error_text.h"
#include "support/test_data.h"

namespace fq::document {
namespace {

using nlohmann::json;

TEST(Eventlog, Encodes_timestamp_name_context_in_that_order) {
  // An event is one line of compact JSON whose keys stand in the order of RFC 18's examples.
  const struct {
    Event event;
    const char* line;
  } cases[] = {
      {{1552593348.073045, "submit", {{"urgency", 16}, {"userid", 5588}, {"flags", 0}}, nullptr},
       R"({"timestamp":1552593348.073045,"name":"submit","context":{"flags":0,"urgency":16,"userid":5588}})"},
      {{1552593348.093541, "free", nullptr, nullptr}, R"({"timestamp":1552593348.093541,"name":"free"})"},
      {{1552593348, "start", json::object(), nullptr}, R"({"timestamp":1552593348,"name":"start"})"},
      {{1.5, "ƒ\"\\\n\x01", {{"note", "ü\t"}}, nullptr},
       R"({"timestamp":1.5,"name":"ƒ\"\\\n\u0001","context":{"note":"ü\t"}})"},
      {{2, "x", {{"a", {1, -1, 0.5, true, nullptr, 3600.0}}}, {{"origin", "shell"}, {"seq", 7}}},
       R"({"timestamp":2,"name":"x","context":{"a":[1,-1,0.5,true,null,3600.0]},"origin":"shell","seq":7})"},
  };
  for (const auto& [event, line] : cases) EXPECT_EQ(encode_event(event), std::string(line) + "\n");
}

TEST(Eventlog, Prints_timestamps_to_the_microsecond_and_no_longer_than_needed) {
  // A timestamp has up to six decimals, none of them a trailing zero, and is never zero.
  const std::pair<double, const char*> cases[] = {
      {1795257930.9168644, "1795257930.916864"},
      {1795257930.9, "1795257930.9"},
      {1795257930.000001, "1795257930.000001"},
      {1795257930.9999999, "1795257931"},
      {1, "1"},
      {1e-9, "0.000001"},
      {9007199254740992.0, "9007199254740992"},
      {1e18, "1000000000000000000"},
  };
  for (const auto& [timestamp, text] : cases) {
    EXPECT_EQ(encode_event({timestamp, "e", nullptr, nullptr}),
              fmt::format("{{\"timestamp\":{},\"name\":\"e\"}}\n", text));
  }
}

TEST(Eventlog, Appends_to_what_is_there) {
  // append_event leaves the buffer's earlier lines alone.
  std::string log = encode_event({1, "a", nullptr, nullptr});
  append_event(log, {2, "b", nullptr, nullptr});
  EXPECT_EQ(log, "{\"timestamp\":1,\"name\":\"a\"}\n{\"timestamp\":2,\"name\":\"b\"}\n");
}

TEST(Eventlog, Decodes_one_event) {
  // Keys may come in any order, the newline may be missing, and an absent context is null.
  const Event event = decode_event(R"( {"name":"alloc","context":{"note":"rank0"},"timestamp":2.25})");
  EXPECT_EQ(event, (Event{2.25, "alloc", {{"note", "rank0"}}, nullptr}));
  EXPECT_EQ(decode_event("{\"timestamp\":3,\"name\":\"free\"}\n"), (Event{3, "free", nullptr, nullptr}));
  EXPECT_EQ(decode_event(R"({"timestamp":3,"name":"free","context":{}})").context, json::object());
}

TEST(Eventlog, R16_5_keeps_unknown_events_and_keys) {
  // What RFC 18 does not name is read, kept, and written back.
  const std::string line =
      R"({"timestamp":3,"name":"from-the-future","context":{"a":{"b":[]}},"v":2,"z":null})";
  const Event event = decode_event(line);
  EXPECT_EQ(event.name, "from-the-future");
  EXPECT_EQ(event.extra, (json{{"v", 2}, {"z", nullptr}}));
  EXPECT_EQ(encode_event(event), line + "\n");
}

TEST(Eventlog, Says_what_is_wrong_with_an_event) {
  // Every rule of RFC 18 that a line breaks has its own message.
  const std::pair<std::string, const char*> cases[] = {
      {"", "event: column 1: not valid JSON"},
      {"\n", "event: column 1: not valid JSON"},
      {R"({"timestamp":1,"name":"a",context:{}})", "event: column 27: not valid JSON"},
      {R"({"timestamp":1,"name":"a"} {})", "event: column 28: not valid JSON"},
      {"{\"timestamp\":1,\n\"name\":\"a\"}", "event: expected one event on one line"},
      {"{\"timestamp\":1,\"name\":\"a\"}\n\n", "event: expected one event on one line"},
      {"{\"timestamp\":1,\"name\":\"a\"}\r\n", "event: expected one event on one line"},
      {"[1]", "event: expected an object, got an array"},
      {R"({"name":"a"})", "event: missing key 'timestamp'"},
      {R"({"timestamp":1})", "event: missing key 'name'"},
      {R"({"timestamp":"1","name":"a"})", "event: timestamp: expected a number, got a string"},
      {R"({"timestamp":0,"name":"a"})", "event: timestamp: expected a time greater than zero"},
      {R"({"timestamp":-1.5,"name":"a"})", "event: timestamp: expected a time greater than zero"},
      {R"({"timestamp":1e999,"name":"a"})", "event: a number is too large"},
      {R"({"timestamp":1,"name":7})", "event: name: expected a string, got an integer"},
      {R"({"timestamp":1,"name":""})", "event: name: expected a name, got an empty string"},
      {R"({"timestamp":1,"name":"a","context":null})", "event: context: expected an object, got null"},
      {R"({"timestamp":1,"name":"a","context":[]})", "event: context: expected an object, got an array"},
      {"{\"timestamp\":1,\"name\":\"\xff\"}", "event: column 24: not valid JSON"},
      {R"({"timestamp":1,"name":"a","context":{"a":)" + std::string(200, '[') + std::string(200, ']') + "}}",
       "event: column 168: nested more than 128 levels deep"},
  };
  for (const auto& [line, message] : cases) {
    EXPECT_EQ(error_text([&] { return decode_event(line); }), message) << line;
  }
}

TEST(Eventlog, Reads_the_example_of_RFC_18) {
  // With quotes around the one key where the RFC forgot them; without, that line is refused by its number.
  std::string log =
      R"({"timestamp":1552593348.073045,"name":"submit","context":{"urgency":16,"userid":5588,"flags":0}})"
      "\n"
      R"({"timestamp":1552593547.411336,"name":"urgency","context":{"urgency":0,"userid":5588}})"
      "\n"
      R"({"timestamp":1552593348.088391,"name":"alloc",context:{"note":"rank0/core[0-1]"}})"
      "\n"
      R"({"timestamp":1552593348.093541,"name":"free"})"
      "\n"
      R"({"timestamp":1552593348.089787,"name":"start"})"
      "\n"
      R"({"timestamp":1552593348.092830,"name":"release","context":{"ranks":"all","final":true}})"
      "\n"
      R"({"timestamp":1552593348.090927,"name":"finish","context":{"status":0}})"
      "\n"
      R"({"timestamp":1552593348.104432,"name":"clean"})"
      "\n";
  EXPECT_EQ(error_text([&] { return decode_eventlog(log); }), "eventlog: line 3: column 47: not valid JSON");
  log.replace(log.find("context:{\"note"), 8, "\"context\":");
  std::string names;
  for (const Event& event : decode_eventlog(log)) names += event.name + " ";
  EXPECT_EQ(names, "submit urgency alloc free start release finish clean ");
}

TEST(Eventlog, Names_the_line_of_a_log) {
  // A log is read whole or refused with the number of its first bad line.
  const std::string good = "{\"timestamp\":1,\"name\":\"a\"}\n";
  EXPECT_TRUE(decode_eventlog("").empty());
  EXPECT_EQ(decode_eventlog(good + good).size(), 2U);
  const std::pair<std::string, const char*> cases[] = {
      {good + "\n" + good, "eventlog: line 2: column 1: not valid JSON"},
      {good + good + "{\"timestamp\":1}\n", "eventlog: line 3: missing key 'name'"},
      {good + "{\"timestamp\":0,\"name\":\"a\"}\n",
       "eventlog: line 2: timestamp: expected a time greater than zero"},
      {good + "{\"timestamp\":1,\"name\":\"a\"}",
       "eventlog: line 2: expected a newline after '{\"timestamp\":1,\"name\":\"a\"}'"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_text([&] { return decode_eventlog(text); }), message) << text;
  }
}

TEST(Eventlog, Finds_the_whole_lines_of_a_torn_log) {
  // A line whose newline was never written is cut off; the others stay.
  EXPECT_EQ(whole_lines("a\nb\nc"), "a\nb\n");
  EXPECT_EQ(whole_lines("a\n"), "a\n");
  EXPECT_EQ(whole_lines("a"), "");
  EXPECT_EQ(whole_lines(""), "");
}

json arbitrary_json(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return static_cast<double>(*rc::gen::arbitrary<std::int32_t>()) / 64;
    case 4: {
      const auto letters =
          rc::gen::element<std::string>("a", "\"", "\\", "\n", "\x1f", "\x7f", "ƒ", "😀", "/");
      std::string text;
      for (const std::string& letter : *rc::gen::container<std::vector<std::string>>(letters)) text += letter;
      return text;
    }
    case 5: {
      json array = json::array();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) array.push_back(arbitrary_json(depth - 1));
      return array;
    }
    default: {
      json object = json::object();
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        object[arbitrary_json(0).dump()] = arbitrary_json(depth - 1);
      }
      return object;
    }
  }
}

TEST(Eventlog, Decoding_undoes_encoding) {
  // For any events with times in whole microseconds, a decoded log has the same events and encodes the same.
  EXPECT_TRUE(rc::check([] {
    std::vector<Event> events;
    std::string log;
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i) {
      Event event;
      event.timestamp = static_cast<double>(*rc::gen::inRange<std::int64_t>(1, 4'000'000'000'000'000)) / 1e6;
      event.name = "n" + arbitrary_json(0).dump();
      if (*rc::gen::arbitrary<bool>()) event.context["key"] = arbitrary_json(3);
      if (*rc::gen::arbitrary<bool>()) event.extra["more"] = arbitrary_json(3);
      append_event(log, event);
      events.push_back(std::move(event));
    }
    const std::vector<Event> decoded = decode_eventlog(log);
    RC_ASSERT(decoded == events);
    std::string again;
    for (const Event& event : decoded) append_event(again, event);
    RC_ASSERT(again == log);
  }));
}

TEST(Eventlog, Compact_JSON_is_what_the_parser_reads_back) {
  // Any JSON value, printed and parsed again, is the same value.
  EXPECT_TRUE(rc::check([] {
    const json value = arbitrary_json(4);
    const json context = {{"v", value}};
    const std::string line = encode_event({1, "e", context, nullptr});
    RC_ASSERT(json::parse(line)["context"] == context);
    RC_ASSERT(line == "{\"timestamp\":1,\"name\":\"e\",\"context\":" + dump_json(context) + "}\n");
  }));
}

TEST(Eventlog, Reads_and_keeps_a_log_that_Flux_wrote) {
  // A recorded log of Flux has its ten events, and only timestamps finer than microseconds change when
  // written.
  const std::string text = read_file(test_data("flux/eventlog.finished.jsonl"));
  std::string names;
  for (const Event& event : decode_eventlog(text)) names += event.name + " ";
  EXPECT_EQ(names, "submit validate depend priority alloc start finish release free clean ");
}

}  // namespace
}  // namespace fq::document
