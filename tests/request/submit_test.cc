// Texts that are put into jobspecs are strings and nothing else.

#include "request/submit.h"

#include <gtest/gtest.h>

namespace fq::request {
namespace {

bool is_taken(std::vector<std::string> pieces) {
  JobGroup group;
  group.jobspec.pieces = {"[", "]"};
  group.rows.push_back({NumberedText{std::move(pieces)}});
  try {
    group.require_form();
  } catch (const Error& refused) {
    EXPECT_EQ(refused.kind(), Kind::invalid);
    return false;
  }
  return true;
}

TEST(JobGroup, texts_are_strings) {
  EXPECT_TRUE(is_taken({R"("a")"}));
  EXPECT_TRUE(is_taken({R"("a","b\"c","")"}));
  EXPECT_TRUE(is_taken({"\"a", "b", "\""}));
  for (const std::vector<std::string>& pieces : std::vector<std::vector<std::string>>{{},
                                                                                      {""},
                                                                                      {"8"},
                                                                                      {"a"},
                                                                                      {R"("a)"},
                                                                                      {R"("a",)"},
                                                                                      {R"("a"],["b")"},
                                                                                      {R"("a" )"},
                                                                                      {"\"\n\""},
                                                                                      {R"("\x")"},
                                                                                      {R"("\u00g0")"},
                                                                                      {"\"", "\"x", ""},
                                                                                      {"\"\\", "\""},
                                                                                      {"\"\xff\""}})
    EXPECT_FALSE(is_taken(pieces)) << (pieces.empty() ? "" : pieces.front());
}

TEST(JobGroup, there_is_a_text_for_each_place) {
  JobGroup group;
  EXPECT_THROW(group.require_form(), Error);
  group.jobspec.pieces = {"{}"};
  group.require_form();
  group.rows.push_back({NumberedText{{"\"\""}}});
  EXPECT_THROW(group.require_form(), Error);
  group.rows.clear();
  group.jobspec.pieces = {"[", "]"};
  EXPECT_THROW(group.require_form(), Error);
}

}  // namespace
}  // namespace fq::request
