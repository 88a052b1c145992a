#include "document/jobspec/dependency.h"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>
#include <yaml-cpp/yaml.h>

#include "base/file.h"
#include "document/jobspec/begin_time.h"
#include "support/error_text.h"
#include "support/test_data.h"

namespace fq::document {
namespace {

using nlohmann::json;

/// 14 March 2019 19:55:48 UTC, a Thursday.
constexpr double kSubmitted = 1552593348.5;

/// A zone with daylight-saving time for as long as a test runs.
class Dependencies : public ::testing::Test {
 protected:
  void SetUp() override { set_zone("CET-1CEST,M3.5.0,M10.5.0/3"); }
  void TearDown() override {
    ::unsetenv("TZ");
    ::tzset();
  }
  static void set_zone(const char* zone) {
    ::setenv("TZ", zone, 1);
    ::tzset();
  }
};

std::string option(std::string_view text) {
  return error_text([&] {
    const Dependency dependency = parse_dependency_option(text, kSubmitted);
    throw Error{Kind::invalid, to_json(dependency).dump() + " " + describe(dependency)};
  });
}

TEST_F(Dependencies, Reads_the_command_line_form) {
  // Every scheme, in all its names and with any form of job id, has one RFC 26 object and one description.
  const std::string kId = R"("value":"ƒ2GMuTnf"})";
  const std::pair<const char*, std::string> cases[] = {
      {"after:ƒ2GMuTnf", R"({"scheme":"after",)" + kId + " after-start=ƒ2GMuTnf"},
      {"afterstart:f2GMuTnf", R"({"scheme":"after",)" + kId + " after-start=ƒ2GMuTnf"},
      {"after-start:ƒ2GMuTnf", R"({"scheme":"after",)" + kId + " after-start=ƒ2GMuTnf"},
      {"afterany:ƒ2oLkTLb", R"({"scheme":"afterany","value":"ƒ2oLkTLb"} after-finish=ƒ2oLkTLb)"},  // RFC 26's
      {"afterany:ƒ2GMuTnf", R"({"scheme":"afterany",)" + kId + " after-finish=ƒ2GMuTnf"},
      {"after-finish:ƒ2GMuTnf", R"({"scheme":"afterany",)" + kId + " after-finish=ƒ2GMuTnf"},
      {"afterok:ƒ2GMuTnf", R"({"scheme":"afterok",)" + kId + " after-success=ƒ2GMuTnf"},
      {"after-success:ƒ2GMuTnf", R"({"scheme":"afterok",)" + kId + " after-success=ƒ2GMuTnf"},
      {"afternotok:ƒ2GMuTnf", R"({"scheme":"afternotok",)" + kId + " after-failure=ƒ2GMuTnf"},
      {"after-failure:ƒ2GMuTnf", R"({"scheme":"afternotok",)" + kId + " after-failure=ƒ2GMuTnf"},
      {"afterexcept:ƒ2GMuTnf", R"({"scheme":"afterexcept",)" + kId + " after-except=ƒ2GMuTnf"},
      {"afterok:1234", R"({"scheme":"afterok","value":"ƒNH"} after-success=ƒNH)"},
      {"afterok:0x4d2", R"({"scheme":"afterok","value":"ƒNH"} after-success=ƒNH)"},
      {"begin-time:1552594348", R"({"scheme":"begin-time","value":"1552594348"} begin-time=1552594348)"},
      {"begin-time:1552594348.25",
       R"({"scheme":"begin-time","value":"1552594348.25"} begin-time=1552594348.25)"},
      {"begin-time:+5m", R"({"scheme":"begin-time","value":"1552593648.5"} begin-time=1552593648.5)"},
      {"begin-time:23:30", R"({"scheme":"begin-time","value":"1552602600"} begin-time=1552602600)"},
      {"singleton", R"({"scheme":"singleton","value":""} singleton)"},
      {"singleton:", R"({"scheme":"singleton","value":""} singleton)"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(option(text), expected) << text;
}

TEST_F(Dependencies, Keeps_the_keys_after_the_question_mark) {
  // KEY=VALUE pairs become string keys of the object; fq's own schemes have none.
  EXPECT_EQ(parse_dependency_object("afterok:ƒNH?type=out&note=a%20b;x=", kSubmitted).dump(),
            R"({"note":"a b","scheme":"afterok","type":"out","value":"ƒNH","x":""})");
  EXPECT_EQ(parse_dependency_object("singleton?a=%zz", kSubmitted).dump(),
            R"({"a":"%zz","scheme":"singleton","value":""})");
  EXPECT_EQ(error_text([] { return parse_dependency_option("afterok:ƒNH?type=out", kSubmitted); }),
            "dependency 'afterok:ƒNH?type=out': 'afterok' takes no key 'type'");
}

TEST_F(Dependencies, Says_what_is_wrong_with_an_option) {
  // A dependency that cannot be read is quoted with the reason.
  const std::pair<const char*, const char*> cases[] = {
      {"",
       "dependency '': unknown scheme '', expected one of after, afterany, afterok, afternotok, "
       "afterexcept, begin-time, singleton"},
      {"afterokay:ƒNH",
       "dependency 'afterokay:ƒNH': unknown scheme 'afterokay', expected one of after, afterany, afterok, "
       "afternotok, afterexcept, begin-time, singleton (did you mean 'afterok'?)"},
      {"string:foo?type=out",
       "dependency 'string:foo?type=out': unknown scheme 'string', expected one of after, afterany, afterok, "
       "afternotok, afterexcept, begin-time, singleton"},
      {"fluid:hungry-hippos-white-elephant",
       "dependency 'fluid:hungry-hippos-white-elephant': unknown scheme 'fluid', expected one of after, "
       "afterany, "
       "afterok, afternotok, afterexcept, begin-time, singleton"},
      {"afterok", "dependency 'afterok': expected a job id after 'afterok'"},
      {"afterok:", "dependency 'afterok:': expected a job id after 'afterok'"},
      {"afterok:x!",
       "dependency 'afterok:x!': invalid job id 'x!': expected f58 (ƒ… or f…), dotted hexadecimal, 0x and "
       "hexadecimal digits, emoji or a decimal number"},
      {"singleton:x", "dependency 'singleton:x': 'singleton' takes no value, got 'x'"},
      {"begin-time:",
       "dependency 'begin-time:': begin time '': expected a time as '+1h', '18:30', '3pm', 'noon', "
       "'tomorrow 8:00', 'friday', 'Dec 24' or '2026-12-24T18:30'"},
      {"begin-time:+5x",
       "dependency 'begin-time:+5x': begin time '+5x': invalid duration '5x': unknown unit 'x', expected ms, "
       "s, m, h or d"},
      {"singleton?a", "dependency 'singleton?a': expected KEY=VALUE after '?', got 'a'"},
      {"singleton?=a", "dependency 'singleton?=a': expected KEY=VALUE after '?', got '=a'"},
      {"singleton?a=1&a=2", "dependency 'singleton?a=1&a=2': the key 'a' is given twice"},
      {"singleton?scheme=x", "dependency 'singleton?scheme=x': the key 'scheme' is given twice"},
      {"singleton?a=%ff", "dependency 'singleton?a=%ff': expected UTF-8 text, got 'a=%ff'"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(option(text), message) << text;
}

TEST_F(Dependencies, Reads_RFC_26_objects) {
  // An object of a served scheme is read, further keys are ignored; anything else is refused by path.
  const auto answer = [](const char* text) {
    const json object = json::parse(text);
    return error_text([&] {
      throw Error{Kind::invalid, describe(dependency_from_json(JsonAt{object, "deps[0]"}))};
    });
  };
  const std::pair<const char*, const char*> cases[] = {
      {R"({"scheme":"afterok","value":"1234","note":7})", "after-success=ƒNH"},
      {R"({"scheme":"begin-time","value":"1552594348.0"})", "begin-time=1552594348"},
      {R"({"scheme":"singleton","value":""})", "singleton"},
      {R"([])", "deps[0]: expected an object, got an array"},
      {R"({"value":"1"})", "deps[0]: missing key 'scheme'"},
      {R"({"scheme":"afterok"})", "deps[0]: missing key 'value'"},
      {R"({"scheme":7,"value":"1"})", "deps[0].scheme: expected a string, got an integer"},
      {R"({"scheme":"afterok","value":1})", "deps[0].value: expected a string, got an integer"},
      {R"({"scheme":"afterok","value":"!"})",
       "deps[0].value: invalid job id '!': expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal "
       "digits, emoji or a decimal number"},
      {R"({"scheme":"begin-time","value":"+5m"})",
       "deps[0].value: expected seconds since the epoch, before the year 10000, got '+5m'"},
      {R"({"scheme":"begin-time","value":"-5"})",
       "deps[0].value: expected seconds since the epoch, before the year 10000, got '-5'"},
      {R"({"scheme":"begin-time","value":"1e300"})",
       "deps[0].value: expected seconds since the epoch, before the year 10000, got '1e300'"},
      {R"({"scheme":"fluid","value":"1","type":"in","scope":"user"})",
       "deps[0].scheme: unknown scheme 'fluid', expected one of after, afterany, afterok, afternotok, "
       "afterexcept, begin-time, "
       "singleton"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(answer(text), expected) << text;
}

TEST_F(Dependencies, Checks_the_form_of_the_array) {
  // `attributes.system.dependencies` is a list of different objects, whatever their schemes.
  const auto answer = [](const char* text) {
    const json array = json::parse(text);
    return error_text([&] { check_dependencies(JsonAt{array, "deps"}); });
  };
  const std::pair<const char*, const char*> cases[] = {
      {R"([{"scheme":"future","value":"x","more":[1]}])", "no error"},
      {R"({})", "deps: expected an array, got an object"},
      {R"([])", "deps: expected at least one dependency, or no such key"},
      {R"([7])", "deps[0]: expected an object, got an integer"},
      {R"([{"scheme":"a","value":"1"},{"scheme":"","value":"1"}])",
       "deps[1].scheme: expected the name of a scheme, got an empty string"},
      {R"([{"scheme":"a","value":"1"},{"value":"1","scheme":"a"}])",
       "deps[1]: the same dependency is there twice"},
      {R"([{"scheme":"string","value":"1"}])", "deps[0]: missing key 'type'"},
      {R"([{"scheme":"fluid","value":"1","type":"in"}])", "deps[0]: missing key 'scope'"},
      {R"([{"scheme":"fluid","value":"1","type":"i","scope":"user"}])",
       "deps[0].type: expected one of in, out, inout, got 'i'"},
      {R"([{"scheme":"string","value":"1","type":"in","scope":"all"}])",
       "deps[0].scope: expected one of user, global, got 'all'"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(answer(text), expected) << text;
  const json two = json::parse(R"([{"scheme":"after","value":"1"},{"scheme":"singleton","value":""}])");
  EXPECT_EQ(dependencies_from_json(JsonAt{two, "deps"}).size(), 2U);
}

TEST_F(Dependencies, Accepts_the_form_of_every_example_of_RFC_26) {
  // The OpenMP-style examples of the RFC are well-formed, though fq serves none of their schemes.
  for (const char* name : {"example_1", "example_2", "example_3_A", "example_3_B", "example_3_C"}) {
    json array = json::array();
    for (const YAML::Node& entry : YAML::LoadFile(test_data(std::string("rfc26/") + name + ".yaml"))) {
      array.push_back(entry.as<std::map<std::string, std::string>>());
    }
    EXPECT_EQ(error_text([&] { check_dependencies(JsonAt{array, "deps"}); }), "no error") << name;
    EXPECT_TRUE(error_text([&] {
                  return dependencies_from_json(JsonAt{array, "deps"});
                }).starts_with("deps[0].scheme: unknown scheme '"));
  }
}

TEST_F(Dependencies, Reads_descriptions) {
  // The descriptions of fq and of Flux are read; others are refused.
  const std::pair<const char*, const char*> cases[] = {
      {"after-success=ƒNH", "after-success=ƒNH"},
      {"after-success=1234", "after-success=ƒNH"},
      {"begin-time=1552594348.000", "begin-time=1552594348"},
      {"singleton", "singleton"},
      {"afterok=ƒNH",
       "dependency description 'afterok=ƒNH': expected after-start=ID, after-finish=ID, after-success=ID, "
       "after-failure=ID, after-except=ID, begin-time=SECONDS or singleton"},
      {"max-running-jobs-user-limit",
       "dependency description 'max-running-jobs-user-limit': expected after-start=ID, after-finish=ID, "
       "after-success=ID, after-failure=ID, after-except=ID, begin-time=SECONDS or singleton"},
      {"after-success=", "dependency description 'after-success=': expected a job id after 'afterok'"},
      {"begin-time=x",
       "dependency description 'begin-time=x': expected seconds since the epoch, before the year 10000, got "
       "'x'"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(error_text([&] { throw Error{Kind::invalid, describe(parse_description(text))}; }), expected);
  }
}

TEST_F(Dependencies, Every_form_keeps_the_dependency) {
  // For any dependency, its object, its description and its command-line form all read back as itself.
  EXPECT_TRUE(rc::check([] {
    Dependency dependency;
    dependency.kind =
        *rc::gen::element(DependencyKind::after_start, DependencyKind::after_any, DependencyKind::after_ok,
                          DependencyKind::after_notok, DependencyKind::after_except,
                          DependencyKind::begin_time, DependencyKind::singleton);
    if (dependency.kind == DependencyKind::begin_time) {
      const auto micros = *rc::gen::inRange<std::int64_t>(100'000'000'000'000, 253'402'300'799'000'000);
      dependency.begin_time =
          parse_begin_time(fmt::format("{}.{:06}", micros / 1'000'000, micros % 1'000'000), 0);
    } else if (dependency.kind != DependencyKind::singleton) {
      dependency.job = notation::JobId{*rc::gen::arbitrary<std::uint64_t>()};
    }
    const json object = to_json(dependency);
    const std::string text = object["scheme"].get<std::string>() + ":" + object["value"].get<std::string>();
    RC_ASSERT(dependency_from_json(JsonAt{object, "d"}) == dependency);
    RC_ASSERT(parse_description(describe(dependency)) == dependency);
    RC_ASSERT(parse_dependency_option(text, 0) == dependency);
    RC_ASSERT(error_text([&] { check_dependencies(JsonAt{json::array({object}), "d"}); }) == "no error");
  }));
}

}  // namespace
}  // namespace fq::document
