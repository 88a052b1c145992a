#include "cli/format/user_formats.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/error_text.h"

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

TEST(UserFormats, may_be_YAML) {
  // Where the file is called so; with the same names, and the same errors, which have no line.
  const std::string text = "formats:\n  a:\n    description: what\n    format: '{id} {name}'\n";
  const auto formats = parse_user_formats(text, "jobs.yaml", kBuiltIn);
  ASSERT_EQ(formats.size(), 1U);
  EXPECT_EQ(formats.front().name + "|" + formats.front().description + "|" + formats.front().format,
            "a|what|{id} {name}");
  EXPECT_EQ(formats.front().path, "jobs.yaml");
  EXPECT_EQ(error_text(
                [&] { return parse_user_formats("formats: {default: {format: x}}", "jobs.yaml", kBuiltIn); }),
            "jobs.yaml: formats.default: 'default' is a name of fq's own (choose another one)");
  EXPECT_EQ(error_text([&] { return parse_user_formats("formats: [", "jobs.yaml", kBuiltIn); }).substr(0, 16),
            "jobs.yaml: line ");
}

TEST(UserFormats, what_is_wrong_is_told_with_its_line) {
  // The file, the line, the word, and what would be right.
  EXPECT_EQ(read("[formats.a]\nformt = 'x'"),
            "jobs.toml:2: formats.a.formt: unknown key (did you mean 'format'?)");
  EXPECT_EQ(read("[formats.a]\nformat = 'x'\nwidth = 3"),
            "jobs.toml:3: formats.a.width: unknown key (one of format, description)");
  EXPECT_EQ(read("[formats.a]\nformat = 3"),
            "jobs.toml:2: formats.a.format: expected a string, got an integer");
  EXPECT_EQ(read("\n[formats.a]\ndescription = ''"),
            "jobs.toml:2: formats.a: a format is missing: format = \"…\"");
  EXPECT_EQ(read("[formats]\na = 'x'"), "jobs.toml:2: formats.a: expected a table, got a string");
  EXPECT_EQ(read("[format.a]\nformat = 'x'"), "jobs.toml:1: format: unknown key (did you mean 'formats'?)");
  EXPECT_EQ(read("[formats.default]\nformat = 'x'"),
            "jobs.toml:1: formats.default: 'default' is a name of fq's own (choose another one)");
  EXPECT_EQ(read("[formats.help]\nformat = 'x'"),
            "jobs.toml:1: formats.help: 'help' is a name of fq's own (choose another one)");
}

TEST(UserFormats, what_is_no_TOML_is_told_with_its_line) {
  // The column, too; a text that nests without end is refused.
  EXPECT_NE(read("a = " + std::string(100'000, '[')).find("nested more than"), std::string::npos);
  EXPECT_EQ(read("[formats.a\nformat = 'x'"), "jobs.toml:1:1: the name of the table is not closed by ']'");
  EXPECT_EQ(read("[formats.a]\nformat = 'x"), "jobs.toml:2:10: the next token is not a valid literal string");
  EXPECT_EQ(read("[formats.a]\nformat = 'x'\nformat = 'y'"),
            "jobs.toml:3:10: value (\"format\") already exists");
  EXPECT_EQ(read("[formats.a]\nformat = 'x\xff'"), "jobs.toml:2: not UTF-8 text");
}

}  // namespace
}  // namespace fq::cli
