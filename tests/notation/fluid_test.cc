#include "notation/fluid.h"

#include <cstdlib>
#include <unordered_set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/error.h"
#include "notation/fluid_tables.h"

namespace fq::notation {
namespace {

constexpr std::uint64_t kMax = 18446744073709551615U;

struct FormCase {
  std::uint64_t value;
  std::string f58;
  std::string dothex;
  std::string hex;
};

TEST(Fluid, writes_and_reads_every_form) {
  // The RFC's examples and the ends of the range are written as expected and read back from each form.
  const FormCase cases[] = {
      {0, "f1", "0000.0000.0000.0000", "0x0"},
      {1, "f2", "0000.0000.0000.0001", "0x1"},
      {57, "fz", "0000.0000.0000.0039", "0x39"},
      {58, "f21", "0000.0000.0000.003a", "0x3a"},
      {1234, "fNH", "0000.0000.0000.04d2", "0x4d2"},
      {4294967295, "f7YXq9G", "0000.0000.ffff.ffff", "0xffffffff"},
      {633528662, "fxyzzy", "0000.0000.25c2.e156", "0x25c2e156"},
      {6731191091817518, "fuZZybuNNy", "0017.e9fb.8df1.6c2e", "0x17e9fb8df16c2e"},
      {0x996000000, "f25jAcZD", "0000.0009.9600.0000", "0x996000000"},
      {kMax, "fjpXCZedGfVQ", "ffff.ffff.ffff.ffff", "0xffffffffffffffff"},
  };
  for (const FormCase& each : cases) {
    const JobId id{each.value};
    EXPECT_EQ(to_f58_ascii(id), each.f58);
    EXPECT_EQ(to_dothex(id), each.dothex);
    EXPECT_EQ(to_kvs(id), "job." + each.dothex);
    EXPECT_EQ(to_hex(id), each.hex);
    EXPECT_EQ(to_dec(id), std::to_string(each.value));
    for (const std::string& text :
         {each.f58, "ƒ" + each.f58.substr(1), each.dothex, "job." + each.dothex, each.hex, to_dec(id),
          to_emoji(id), " \t" + each.f58 + "\n", "\n" + to_emoji(id) + " "}) {
      EXPECT_EQ(parse_job_id(text), id) << text;
    }
  }
}

TEST(Fluid, reads_other_spellings) {
  // Groups of dotted hexadecimal may be short, case does not matter in hexadecimal, base 58 may begin with
  // zeros.
  const std::pair<std::string, std::uint64_t> cases[] = {
      {"0.0.0.39", 57},
      {"job.0.0.0.39", 57},
      {"0017.E9FB.8DF1.6C2E", 6731191091817518},
      {"0x17E9FB8DF16C2E", 6731191091817518},
      {"0x000000000000000000001", 1},
      {"f111", 0},
      {"ƒ1112", 1},
      {"007", 7},
      {"fade.0000.0000.0001", 0xfade000000000001},
  };
  for (const auto& [text, value] : cases) EXPECT_EQ(parse_job_id(text), JobId{value}) << text;
}

TEST(Fluid, R19_emoji_of_the_examples) {
  // The RFC's emoji examples are written as shown there, and single digits as their place in its table says.
  for (const std::string text : {"🚹💂🙌😳💱🏃", "😄😹🎇📥🏧🙉🔞", "🚹💂🈳💰🎩🏃"}) {
    EXPECT_EQ(to_emoji(parse_job_id(text)), text);
  }
  const std::pair<std::uint64_t, std::string> cases[] = {
      {0, "😃"}, {1, "😄"}, {575, "🎌"}, {1234, "😁👌"}, {65535, "💁📚"}, {kMax, "🚹💗💧👗😷📷📚"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(to_emoji({value}), text);
}

TEST(Fluid, R19_f58_examples) {
  // The RFC's other f58 examples are written as shown there.
  for (const std::string text : {"ƒZemgA8Bzf", "ƒ278oEf7zGf"}) {
    EXPECT_EQ("ƒ" + to_f58_ascii(parse_job_id(text)).substr(1), text);
  }
}

TEST(Fluid, R19_hexadecimal_examples) {
  // The RFC's hexadecimal and dotted hexadecimal examples are the same two ids.
  const std::pair<std::string, std::string> cases[] = {
      {"0x17e9fb8df16c2e", "0017.e9fb.8df1.6c2e"},
      {"0xedaf97d000000", "000e.daf9.7d00.0000"},
  };
  for (const auto& [hex, dothex] : cases) {
    EXPECT_EQ(parse_job_id(hex), parse_job_id(dothex));
    EXPECT_EQ(to_hex(parse_job_id(dothex)), hex);
    EXPECT_EQ(to_dothex(parse_job_id(hex)), dothex);
  }
}

std::string parse_error(std::string_view text) {
  try {
    return "read as " + to_dec(parse_job_id(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Kind::invalid);
    return error.what();
  }
}

TEST(Fluid, refuses_what_is_no_id) {
  // Each text is refused with the message of the form that it was taken for.
  const std::string any =
      "expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number";
  const std::string dots = "expected four groups of one to four hexadecimal digits with dots between";
  const std::string large = "greater than 18446744073709551615";
  const std::pair<std::string, std::string> cases[] = {
      {"", "invalid job id '': " + any},
      {"  ", "invalid job id '': " + any},
      {"abc", "invalid job id 'abc': " + any},
      {"+1", "invalid job id '+1': " + any},
      {"1 2", "invalid job id '1 2': " + any},
      {"0X10", "invalid job id '0X10': " + any},
      {"18446744073709551616", "invalid job id '18446744073709551616': " + large},
      {"f", "invalid job id 'f': expected base 58 digits after 'f'"},
      {"ƒ", "invalid job id 'ƒ': expected base 58 digits after 'ƒ'"},
      {"flux", "invalid job id 'flux': no base 58 digit at character 2"},
      {"f1230", "invalid job id 'f1230': no base 58 digit at character 5"},
      {"ƒ1230", "invalid job id 'ƒ1230': no base 58 digit at character 5"},
      {"fjpXCZedGfVR", "invalid job id 'fjpXCZedGfVR': " + large},
      {"fzzzzzzzzzzzzzzzz", "invalid job id 'fzzzzzzzzzzzzzzzz': " + large},
      {"0x", "invalid job id '0x': expected hexadecimal digits after '0x'"},
      {"0x1g", "invalid job id '0x1g': no hexadecimal digit at character 4"},
      {"0x10000000000000000", "invalid job id '0x10000000000000000': " + large},
      {".", "invalid job id '.': " + dots},
      {"1.2.3", "invalid job id '1.2.3': " + dots},
      {"1.2.3.4.5", "invalid job id '1.2.3.4.5': " + dots},
      {"1..3.4", "invalid job id '1..3.4': " + dots},
      {"1.2.3.", "invalid job id '1.2.3.': " + dots},
      {"00001.2.3.4", "invalid job id '00001.2.3.4': " + dots},
      {"job.", "invalid job id 'job.': " + dots},
      {"job.1", "invalid job id 'job.1': " + dots},
      {"0.0.0.x", "invalid job id '0.0.0.x': no hexadecimal digit at character 7"},
      {"-", "invalid job id '-': " + any},
      {"-1", "invalid job id '-1': " + any},
      {"reform-remote-galileo--heart-package-academy",
       "invalid job id 'reform-remote-galileo--heart-package-academy': " + any},
      {"one-two-three--four-five-six", "invalid job id 'one-two-three--four-five-six': " + any},
      {"f1-2", "invalid job id 'f1-2': no base 58 digit at character 3"},
      {"0x1-2", "invalid job id '0x1-2': no hexadecimal digit at character 4"},
      {"0.0.0.1-2", "invalid job id '0.0.0.1-2': no hexadecimal digit at character 8"},
      {"😃😃x", "invalid job id '😃😃x': no emoji of RFC 19 at character 3"},
      {"🧇", "invalid job id '🧇': no emoji of RFC 19 at character 1"},
      {"🎌🎌🎌🎌🎌🎌🎌🎌", "invalid job id '🎌🎌🎌🎌🎌🎌🎌🎌': " + large},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(parse_error(text), message);
}

TEST(Fluid, reads_what_it_writes) {
  // Every id comes back from every form of it.
  EXPECT_TRUE(rc::check([] {
    const JobId id{*rc::gen::arbitrary<std::uint64_t>() >> *rc::gen::inRange(0, 64)};
    for (const IdForm form : {IdForm::dec, IdForm::hex, IdForm::dothex, IdForm::f58, IdForm::f58plain,
                              IdForm::kvs, IdForm::emoji}) {
      RC_ASSERT(parse_job_id(format_id(id, form)) == id);
    }
    RC_ASSERT(compose(decompose(id)) == id);
  }));
}

TEST(Fluid, dothex_sorts_as_the_id) {
  // The order of ids is the order of their dotted hexadecimal text.
  EXPECT_TRUE(rc::check([](std::uint64_t a, std::uint64_t b) {
    RC_ASSERT((JobId{a} < JobId{b}) == (to_dothex({a}) < to_dothex({b})));
  }));
}

TEST(Fluid, is_made_of_time_generator_and_sequence) {
  // 40, 14 and 10 bits, the time first; what does not fit is refused.
  EXPECT_EQ(compose({1, 0, 0}), JobId{1U << 24});
  EXPECT_EQ(compose({0, 1, 0}), JobId{1U << 10});
  EXPECT_EQ(compose({0, 0, 1}), JobId{1});
  EXPECT_EQ(compose({(std::uint64_t{1} << 40) - 1, 16383, 1023}), JobId{kMax});
  EXPECT_EQ(decompose({6731191091817518}), (FluidParts{401210253, 15451, 46}));
  const auto message = [](const FluidParts& parts) -> std::string {
    try {
      return to_dec(compose(parts));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Kind::invalid);
      return error.what();
    }
  };
  EXPECT_EQ(message({std::uint64_t{1} << 40, 0, 0}),
            "job id timestamp 1099511627776 needs more than 40 bits");
  EXPECT_EQ(message({0, 16384, 0}), "job id generator 16384 needs more than 14 bits");
  EXPECT_EQ(message({0, 0, 1024}), "job id sequence 1024 needs more than 10 bits");
}

TEST(Fluid, knows_its_forms_by_name) {
  // A form is found by its name; an unknown name is refused, with the nearest one as a hint.
  const JobId id{6731191091817518};
  const std::pair<std::string, std::string> cases[] = {
      {"dec", "6731191091817518"}, {"hex", "0x17e9fb8df16c2e"},        {"dothex", "0017.e9fb.8df1.6c2e"},
      {"f58plain", "fuZZybuNNy"},  {"kvs", "job.0017.e9fb.8df1.6c2e"}, {"emoji", "👩💅📓😸👑🚓"},
  };
  for (const auto& [name, text] : cases) EXPECT_EQ(format_id(id, parse_id_form(name)), text);
  EXPECT_EQ(parse_id_form("f58"), IdForm::f58);
  try {
    (void)parse_id_form("dothx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "unknown job id form 'dothx': expected one of dec, hex, dothex, f58, f58plain, kvs, emoji, words");
    EXPECT_EQ(error.hint(), "did you mean 'dothex'?");
  }
}

TEST(Fluid, f58_prefix_follows_the_environment) {
  // ASCII when forced, or when the locale that counts (LC_ALL, then LC_CTYPE, then LANG) is not UTF-8.
  EXPECT_FALSE(f58_wants_ascii(nullptr, nullptr, nullptr, nullptr));
  EXPECT_FALSE(f58_wants_ascii(nullptr, nullptr, nullptr, "en_US.UTF-8"));
  EXPECT_FALSE(f58_wants_ascii(nullptr, nullptr, nullptr, "C.utf8"));
  EXPECT_FALSE(f58_wants_ascii(nullptr, nullptr, nullptr, "ca_ES.UTF-8@valencia"));
  EXPECT_FALSE(f58_wants_ascii(nullptr, "", "C.UTF-8", "C"));
  EXPECT_TRUE(f58_wants_ascii("1", nullptr, nullptr, "C.UTF-8"));
  EXPECT_TRUE(f58_wants_ascii("", nullptr, nullptr, "C.UTF-8"));
  EXPECT_TRUE(f58_wants_ascii(nullptr, "C", "C.UTF-8", "C.UTF-8"));
  EXPECT_TRUE(f58_wants_ascii(nullptr, nullptr, "POSIX", "C.UTF-8"));
  EXPECT_TRUE(f58_wants_ascii(nullptr, nullptr, nullptr, "de_DE"));
  EXPECT_TRUE(f58_wants_ascii(nullptr, nullptr, nullptr, "de_DE.ISO-8859-15@euro"));
}

/// What a new process prints for the RFC's example, given these variables.
std::string f58_in_new_process(const char* force, const char* lc_all) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto print = [&] {
    if (force != nullptr) {
      setenv("FLUX_F58_FORCE_ASCII", force, 1);
    } else {
      unsetenv("FLUX_F58_FORCE_ASCII");
    }
    setenv("LC_ALL", lc_all, 1);
    std::exit(to_f58({6731191091817518}) == "ƒuZZybuNNy"   ? 10
              : to_f58({6731191091817518}) == "fuZZybuNNy" ? 11
                                                           : 12);
  };
  std::string out = "neither";
  EXPECT_EXIT(
      print(),
      [&](int status) {
        out = WEXITSTATUS(status) == 10 ? "unicode" : WEXITSTATUS(status) == 11 ? "ascii" : "neither";
        return true;
      },
      "");
  return out;
}

TEST(FluidDeathTest, prints_ascii_where_the_environment_asks_for_it) {
  // FLUX_F58_FORCE_ASCII and a locale without UTF-8 give f, else the prefix is ƒ.
  EXPECT_EQ(f58_in_new_process(nullptr, "C.UTF-8"), "unicode");
  EXPECT_EQ(f58_in_new_process("1", "C.UTF-8"), "ascii");
  EXPECT_EQ(f58_in_new_process(nullptr, "C"), "ascii");
}

TEST(Fluid, formats_and_hashes) {
  // An id prints as f58 with a string's options, and is a key of unordered containers.
  const JobId id{6731191091817518};
  EXPECT_EQ(fmt::format("{:>12}|{}", id, id), fmt::format("{:>12}|{}", to_f58(id), to_f58(id)));
  const std::unordered_set<JobId> ids{{1}, {2}, {1}};
  EXPECT_EQ(ids.size(), 2U);
}

TEST(FluidTables, digits_are_distinct) {
  // No emoji stands for two values; all begin with the bytes that detection looks at.
  ASSERT_EQ(kEmoji.size(), kEmojiCount * kEmojiBytes);
  std::unordered_set<std::string_view> emoji;
  for (std::size_t i = 0; i < kEmojiCount; ++i) {
    emoji.insert(kEmoji.substr(i * kEmojiBytes, kEmojiBytes));
    EXPECT_EQ(kEmoji.substr(i * kEmojiBytes, 2), "\xf0\x9f");
  }
  EXPECT_EQ(emoji.size(), kEmojiCount);
}

}  // namespace
}  // namespace fq::notation
