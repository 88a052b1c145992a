// Slices select what Python's do.

#include "cli/frame/slice.h"

#include <array>

#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/frame/run_tool.h"

namespace fq::cli {
namespace {

std::string select(std::string_view text, std::size_t size = 5) {
  try {
    std::string out;
    for (const std::size_t index : Slice::parse(text).indexes(size)) out += std::to_string(index);
    return out;
  } catch (const Error& failure) {
    return error_line("fq", failure);
  }
}

TEST(Slice, selects_as_python_does) {
  // Of [0,1,2,3,4]; expectations from Python.
  struct Row {
    const char *slice, *selected;
  };
  constexpr std::array kRows{
      Row{"[:]", "01234"},
      Row{"[:3]", "012"},
      Row{"[3:]", "34"},
      Row{"[1:4]", "123"},
      Row{"[::2]", "024"},
      Row{"[1::2]", "13"},
      Row{"[::-1]", "43210"},
      Row{"[::-2]", "420"},
      Row{"[-2:]", "34"},
      Row{"[:-2]", "012"},
      Row{"[-1:]", "4"},
      Row{"[3:1]", ""},
      Row{"[3:1:-1]", "32"},
      Row{"[-1:0:-1]", "4321"},
      Row{"[9:]", ""},
      Row{"[:9]", "01234"},
      Row{"[-9:2]", "01"},
      Row{"[9:2:-1]", "43"},
      Row{"[:2:-1]", "43"},
      Row{"[0:0]", ""},
      Row{"[ 1 : 2 ]", "1"},
      Row{"[:99999999999999999999]",
          "fq: '[:99999999999999999999]' is not a slice: expected [START:STOP:STEP], each optional\n"},
      Row{"[:9999999999999999999]", "01234"}};
  for (const Row& row : kRows) EXPECT_EQ(select(row.slice), row.selected) << row.slice;
  EXPECT_EQ(select("[::-1]", 0), "");
  EXPECT_EQ(select("[-1:]", 0), "");
}

TEST(Slice, what_is_none_is_refused) {
  for (const char* wrong : {"", "3", "[", "[]", "[3]", "[1:2:3:4]", "[a:]", "[:1.5]", "[--1:]", "1:2"}) {
    EXPECT_EQ(select(wrong),
              fmt::format("fq: '{}' is not a slice: expected [START:STOP:STEP], each optional\n", wrong));
  }
  EXPECT_EQ(select("[::0]"), "fq: '[::0]': the step of a slice cannot be 0\n");
}

TEST(Slice, says_how_much_of_the_list_it_needs) {
  // So many from its beginning, or all of it.
  const auto needs = [](const char* text) { return Slice::parse(text).needs(); };
  EXPECT_EQ(needs("[:3]"), 3U);
  EXPECT_EQ(needs("[1:4:2]"), 4U);
  for (const char* all : {"[:]", "[1:]", "[:-1]", "[-3:2]", "[:3:-1]"})
    EXPECT_EQ(needs(all), std::nullopt) << all;
}

}  // namespace
}  // namespace fq::cli
