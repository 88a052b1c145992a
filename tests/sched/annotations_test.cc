#include "sched/annotations.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include "base/error.h"
#include "sched/random.h"

namespace fq::sched {
namespace {

using test::between;

struct MergeCase {
  std::string base, update, result;
};

void expect_merges(const std::vector<MergeCase>& cases) {
  for (const auto& [base, update, result] : cases) {
    EXPECT_EQ(merge_annotations(base, update), result) << base << " + " << update;
  }
}

TEST(Annotations, R27_23_a_dictionary_onto_a_dictionary_recurses) {
  // Keys of the old dictionary that the new one does not name are kept, at any depth.
  expect_merges({
      {R"({"sched":{"a":1}})", R"({"sched":{"b":2}})", R"({"sched":{"a":1,"b":2}})"},
      {R"({"x":{"y":{"a":1,"b":2}}})", R"({"x":{"y":{"b":3},"z":4}})", R"({"x":{"y":{"a":1,"b":3},"z":4}})"},
      {R"({"sched":{"a":1}})", R"({"sched":{}})", R"({"sched":{"a":1}})"},
  });
}

TEST(Annotations, R27_24_an_existing_key_is_replaced) {
  // Whatever is not a dictionary onto a dictionary replaces the whole value, arrays included.
  expect_merges({
      {R"({"a":1})", R"({"a":"x"})", R"({"a":"x"})"},
      {R"({"a":{"b":1}})", R"({"a":2})", R"({"a":2})"},
      {R"({"a":2})", R"({"a":{"b":1}})", R"({"a":{"b":1}})"},
      {R"({"a":[1,2]})", R"({"a":[3]})", R"({"a":[3]})"},
      {R"({"a":2})", R"({"a":{"b":null}})", R"({"a":{}})"},
  });
}

TEST(Annotations, R27_25_null_removes_the_key_and_adds_nothing) {
  // Null removes what is there; where nothing is there neither null nor a dictionary of nulls leaves a trace.
  expect_merges({
      {R"({"a":1,"b":2})", R"({"a":null})", R"({"b":2})"},
      {R"({"sched":{"a":1,"b":2}})", R"({"sched":{"a":null}})", R"({"sched":{"b":2}})"},
      {R"({"sched":{"a":1}})", R"({"sched":{"a":null}})", R"({"sched":{}})"},
      {R"({"sched":{"a":1}})", R"({"sched":null})", ""},
      {R"({"b":2})", R"({"a":null})", R"({"b":2})"},
      {"", R"({"sched":{"t_estimate":null}})", ""},
      {"", R"({"sched":{"x":{"y":null},"z":1}})", R"({"sched":{"z":1}})"},
      {R"({"a":[1]})", R"({"a":[null]})", R"({"a":[null]})"},
  });
}

TEST(Annotations, R27_26_a_new_key_is_added) {
  // A key that is not there is added with its value, of any type.
  expect_merges({
      {"", R"({"sched":{"resource_summary":"rank0/core0"}})",
       R"({"sched":{"resource_summary":"rank0/core0"}})"},
      {R"({"user":{"fairshare":0.5}})", R"({"sched":{"t_estimate":5.5}})",
       R"({"sched":{"t_estimate":5.5},"user":{"fairshare":0.5}})"},
      {"{}", R"({"a":{}})", R"({"a":{}})"},
      {"{}", R"({"a":false,"b":[{}],"c":"é"})", R"({"a":false,"b":[{}],"c":"é"})"},
      {"", "", ""},
      {"{}", "{}", ""},
      {R"({"a":1})", "", R"({"a":1})"},
  });
}

TEST(Annotations, refuses_what_is_not_an_object) {
  // Annotations are dictionaries; anything else is named in the error.
  for (const std::string text : {"[]", "3", "null"}) {
    EXPECT_THROW((void)merge_annotations(text, "{}"), Error);
    EXPECT_THROW((void)merge_annotations("{}", text), Error);
  }
  try {
    (void)merge_annotations("{}", "[]");
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "annotations: expected an object, got an array");
  }
}

TEST(Annotations, R27_20_success_deletes_what_was_said_while_waiting) {
  // After SUCCESS neither reason nor estimate is left, and other keys are.
  const std::string waiting =
      merge_annotations(R"({"user":{"x":1}})", pending_annotations("2 cores requested", 99.5));
  EXPECT_EQ(waiting, R"({"sched":{"reason_pending":"2 cores requested","t_estimate":99.5},"user":{"x":1}})");
  EXPECT_EQ(merge_annotations(waiting, pending_annotations("other")),
            R"({"sched":{"reason_pending":"other"},"user":{"x":1}})");
  EXPECT_EQ(merge_annotations(waiting, allocated_annotations("rank0/core0")),
            R"({"sched":{"resource_summary":"rank0/core0"},"user":{"x":1}})");
}

nlohmann::json arbitrary_object(int depth) {
  nlohmann::json object = nlohmann::json::object();
  const int n = between(0, 4);
  for (int i = 0; i < n; ++i) {
    const std::string key(1, *rc::gen::element('a', 'b', 'c'));
    switch (between(0, depth > 0 ? 4 : 3)) {
      case 0:
        object[key] = nullptr;
        break;
      case 1:
        object[key] = between(0, 5);
        break;
      case 2:
        object[key] = {1, nullptr};
        break;
      default:
        object[key] = arbitrary_object(depth - 1);
    }
  }
  return object;
}

bool has_null_member(const nlohmann::json& object) {
  for (const auto& value : object) {
    if (value.is_null() || (value.is_object() && has_null_member(value))) return true;
  }
  return false;
}

TEST(Annotations, merging_twice_is_merging_once_and_leaves_no_null) {
  // An update that was applied changes nothing when applied again.
  EXPECT_TRUE(rc::check([] {
    const std::string base = merge_annotations("", arbitrary_object(2).dump());
    const std::string update = arbitrary_object(2).dump();
    const std::string once = merge_annotations(base, update);
    RC_ASSERT(merge_annotations(once, update) == once);
    if (!once.empty()) RC_ASSERT(!has_null_member(nlohmann::json::parse(once)));
  }));
}

}  // namespace
}  // namespace fq::sched
