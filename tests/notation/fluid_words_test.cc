// The words form of a FLUID, with a list of the test's own: the digit i in base 26, `aaa` to `ckn`.

#include "notation/fluid_words.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "notation/fluid.h"
#include "support/temp_directory.h"

namespace fq::notation {
namespace {

// The list is read once in a process, so this one is every test's.
class FluidWords : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const test::TempDirectory directory;
    const std::string path = directory.path() + "/words";
    std::ofstream out{path};
    constexpr int kWords = 1633, kLetters = 26;
    for (int i = 0; i < kWords; ++i) {
      const auto letter = [](int digit) { return static_cast<char>('a' + digit); };
      out << letter(i / kLetters / kLetters) << letter(i / kLetters % kLetters) << letter(i % kLetters)
          << '\n';
    }
    ::setenv("FQ_WORDS", path.c_str(), 1);
  }
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

RC_GTEST_FIXTURE_PROP(FluidWords, what_is_written_is_read, (std::uint64_t value)) {
  RC_ASSERT(parse_words(to_words(value)) == value);
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
