#include "cli/follow/event_format.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "document/event/eventlog.h"

namespace fq::cli {
namespace {

constexpr std::string_view kLog =
    R"({"timestamp":1795257930.9168644,"name":"submit","context":{"userid":0,"urgency":16,"flags":0,"version":1}}
{"timestamp":1795257930.9302559,"name":"validate"}
{"timestamp":1795257930.9451122,"name":"alloc","context":{"annotations":{"sched":{"resource_summary":"rank[0-1]/core[0-3]"}}}}
{"timestamp":1795257931.0044298,"name":"exception","context":{"userid":0,"note":"resource \"allocation\" expired","severity":0,"type":"timeout"}}
{"timestamp":1795257931.0082798,"name":"release","context":{"ranks":"all","final":true}}
{"timestamp":1795257995.5,"name":"dependency-add","context":{"description":"after-success=ƒ2GMuTnf"}}
{"timestamp":1795257996.25,"name":"custom","context":{"b":1.5,"a":null}}
)";

std::string print(EventFormat format, EventTime time, bool color = false, std::string_view log = kLog) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  EventPrinter printer{format, time, color};
  std::string out;
  for (const document::Event& event : document::decode_eventlog(log)) printer.append(out, event);
  return out;
}

TEST(EventPrinter, prints_raw_text) {
  // Seconds with six decimals, the name, then key=value in the order of the RFC.
  EXPECT_EQ(
      print(EventFormat::text, EventTime::raw),
      "1795257930.916864 submit userid=0 urgency=16 flags=0 version=1\n"
      "1795257930.930256 validate\n"
      "1795257930.945112 alloc annotations={\"sched\":{\"resource_summary\":\"rank[0-1]/core[0-3]\"}}\n"
      "1795257931.004430 exception type=\"timeout\" severity=0 note=\"resource \\\"allocation\\\" expired\" "
      "userid=0\n"
      "1795257931.008280 release ranks=\"all\" final=true\n"
      "1795257995.500000 dependency-add description=\"after-success=ƒ2GMuTnf\"\n"
      "1795257996.250000 custom a=null b=1.5\n");
}

TEST(EventPrinter, prints_offsets_from_the_first_event) {
  // The first event is at zero.
  EXPECT_EQ(print(EventFormat::text, EventTime::offset).substr(0, 90),
            "0.000000 submit userid=0 urgency=16 flags=0 version=1\n0.013391 validate\n0.028248 alloc ann");
}

TEST(EventPrinter, prints_minutes_and_seconds_for_people) {
  // The minute where it changes, else the seconds since the event that opened it.
  const std::string text = print(EventFormat::text, EventTime::human);
  std::string times;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    times += text.substr(at, 14) + "\n";
  EXPECT_EQ(times,
            "[Nov21 10:45] \n"
            "[  +0.013391] \n"
            "[  +0.028248] \n"
            "[  +0.087565] \n"
            "[  +0.091415] \n"
            "[Nov21 10:46] \n"
            "[  +0.750000] \n");
}

TEST(EventPrinter, prints_iso_times) {
  // Local time with microseconds and zone; `Z` for UTC.
  const std::string text = print(EventFormat::text, EventTime::iso);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "2026-11-21T10:45:30.916864Z submit userid=0 urgency=16 flags=0 version=1");
  ::setenv("TZ", "XXX-05:30", 1);
  ::tzset();
  EventPrinter printer{EventFormat::text, EventTime::iso, false};
  std::string out;
  printer.append(out, {1795257930.9999996, "start", {}, {}});
  printer.append(out, {1e300, "start", {}, {}});
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  EXPECT_TRUE(out.starts_with("2026-11-21T16:15:31.000000+05:30 start\n1000000")) << out.substr(0, 80);
}

TEST(EventPrinter, prints_json_lines) {
  // JSON is the log's own form.
  const std::string text = print(EventFormat::json, EventTime::human, true);
  EXPECT_EQ(document::decode_eventlog(text),
            document::decode_eventlog(print(EventFormat::json, EventTime::raw)));
  EXPECT_TRUE(text.starts_with("{\"timestamp\":1795257930.916864,\"name\":\"submit\",\"context\":{")) << text;
}

TEST(EventPrinter, colours_times_names_and_values) {
  // Each part has its colour; an exception stands out.
  EXPECT_EQ(print(EventFormat::text, EventTime::raw, true,
                  "{\"timestamp\":1.5,\"name\":\"submit\",\"context\":{\"userid\":0,\"x\":\"y\"}}\n"
                  "{\"timestamp\":2,\"name\":\"exception\"}\n"),
            "\033[32m1.500000\033[0m \033[33msubmit\033[0m \033[34muserid\033[0m=\033[90m0\033[0m "
            "\033[34mx\033[0m=\033[35m\"y\"\033[0m\n"
            "\033[32m2.000000\033[0m \033[1;31mexception\033[0m\n");
}

TEST(EventFormats, are_parsed_with_a_near_match) {
  // Names are those of --format and --time-format.
  EXPECT_EQ(parse_event_format("json"), EventFormat::json);
  EXPECT_EQ(parse_event_time("reltime"), EventTime::human);
  EXPECT_EQ(parse_event_time("offset"), EventTime::offset);
  const auto failure = [](auto parse, std::string_view text) -> std::string {
    try {
      static_cast<void>(parse(text));
      return "none";
    } catch (const Error& error) {
      return fmt::format("{} ({})", error.what(), error.hint());
    }
  };
  EXPECT_EQ(failure(parse_event_format, "jsn"), "expected text or json, got 'jsn' (did you mean 'json'?)");
  EXPECT_EQ(failure(parse_event_time, "offst"),
            "expected raw, iso, offset or human, got 'offst' (did you mean 'offset'?)");
}

}  // namespace
}  // namespace fq::cli
