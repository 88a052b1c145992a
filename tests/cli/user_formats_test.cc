#include "cli/user_formats.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace fq::cli {
namespace {

constexpr NamedFormat kBuiltIn[] = {{"default", "the usual", "{id}"}};

/// `NAME|DESCRIPTION|FORMAT` a line, or the error as the user sees it.
std::string read(const std::string& text) {
  try {
    std::string out;
    for (const UserFormat& format : parse_user_formats(text, "jobs.toml", kBuiltIn)) {
      out += fmt::format("{}|{}|{}\n", format.name, format.description, format.format);
    }
    return out;
  } catch (const Error& failure) {
    EXPECT_EQ(failure.kind(), Kind::invalid);
    return failure.hint().empty() ? failure.what() : fmt::format("{} ({})", failure.what(), failure.hint());
  }
}

TEST(UserFormats, are_tables_of_formats) {
  // By name; a description may be missing; texts of several lines and literal ones are TOML's.
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("[formats.b]\nformat = '{id}'\n[formats.a]\ndescription = \"what\"\nformat = \"\"\"\\\n  "
                 "{id} \\\n  {name}\"\"\"\n"),
            "a|what|{id} {name}\nb||{id}\n");
  EXPECT_EQ(read("formats.x.format = '{id}'"), "x||{id}\n");
}

TEST(UserFormats, what_is_wrong_is_told_with_its_line) {
  // The file, the line, the word, and what would be right.
  EXPECT_EQ(read("[formats.a]\nformt = 'x'"), "jobs.toml:2: unknown key 'formt' (did you mean 'format'?)");
  EXPECT_EQ(read("[formats.a]\nformat = 'x'\nwidth = 3"),
            "jobs.toml:3: unknown key 'width' (a format has a format and a description)");
  EXPECT_EQ(read("[formats.a]\nformat = 3"), "jobs.toml:2: 'format' is not a string");
  EXPECT_EQ(read("\n[formats.a]\ndescription = ''"), "jobs.toml:2: 'formats.a' has no key 'format'");
  EXPECT_EQ(read("[formats]\na = 'x'"),
            "jobs.toml:2: 'formats.a' is not a table ([formats.a], then format = \"…\")");
  EXPECT_EQ(read("[format.a]\nformat = 'x'"),
            "jobs.toml:1: unknown key 'format' (formats are tables [formats.NAME])");
  EXPECT_EQ(read("[formats.default]\nformat = 'x'"),
            "jobs.toml:1: 'default' is a name of fq's own (choose another one)");
  EXPECT_EQ(read("[formats.help]\nformat = 'x'"),
            "jobs.toml:1: 'help' is a name of fq's own (choose another one)");
}

TEST(UserFormats, what_is_no_TOML_is_told_with_its_line) {
  // The line is shown.
  EXPECT_EQ(read("[formats.a\nformat = 'x'"), "jobs.toml:1: not valid TOML: '[formats.a'");
  EXPECT_EQ(read("[formats.a]\nformat = 'x"), "jobs.toml:2: not valid TOML: 'format = 'x'");
  EXPECT_EQ(read("[formats.a]\nformat = 'x'\nformat = 'y'"), "jobs.toml:3: not valid TOML: 'format = 'y''");
  EXPECT_EQ(read("[formats.a]\nformat = 'x\xff'"), "jobs.toml: not valid UTF-8");
}

}  // namespace
}  // namespace fq::cli
