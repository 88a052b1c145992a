// The words form of a FLUID, with a list of the tests' own.

#include "notation/fluid_words.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/error.h"
#include "notation/fluid.h"
#include "support/word_list.h"

namespace fq::notation {
namespace {

class FluidWords : public testing::Test {
 protected:
  static void SetUpTestSuite() { test::install_word_list(); }
};

TEST_F(FluidWords, R19_words_of_the_example) {
  // The RFC's `reform-remote-galileo--heart-package-academy` are mnemonicode's words 620, 1181, 900, 1389,
  // 963 and 0.
  EXPECT_EQ(to_words(6731191091817518), "axw-btl-biq--cbl-blb-aaa");
  EXPECT_EQ(parse_job_id(" axw-btl-biq--cbl-blb-aaa\n"), JobId{6731191091817518});
  EXPECT_EQ(to_words(0), "aaa-aaa-aaa--aaa-aaa-aaa");
  EXPECT_EQ(to_words(UINT64_MAX), "asv-bfb-ckm--asv-bfb-ckm");
  EXPECT_EQ(parse_words("aab-aaa-aaa-aaa-aaa-aaa"), 1U);
  EXPECT_EQ(format_id(JobId{1}, parse_id_form("words")), "aab-aaa-aaa--aaa-aaa-aaa");
}

TEST_F(FluidWords, what_is_written_is_read) {
  EXPECT_TRUE(rc::check([](std::uint64_t value) { RC_ASSERT(parse_words(to_words(value)) == value); }));
}

TEST_F(FluidWords, what_is_no_number_is_refused) {
  const auto refusal = [](std::string_view text) {
    try {
      return "read as " + to_dec(parse_job_id(text));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Kind::invalid);
      return std::string{error.what()};
    }
  };
  EXPECT_EQ(refusal("aaa-aaa-aaa--aaa-aaa-zzz"),
            "invalid job id 'aaa-aaa-aaa--aaa-aaa-zzz': 'zzz' is none of its words");
  EXPECT_EQ(refusal("asw-bfb-ckm--aaa-aaa-aaa"),
            "invalid job id 'asw-bfb-ckm--aaa-aaa-aaa': 'asw-bfb-ckm' stands for no number");
  for (const char* text : {"aaa-aaa", "node-1", "aaa-aaa-aaa--aaa-aaa-AAA", "-"})
    EXPECT_EQ(parse_words(text), std::nullopt);
}

}  // namespace
}  // namespace fq::notation
