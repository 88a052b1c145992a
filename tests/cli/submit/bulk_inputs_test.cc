#include "cli/submit/bulk_inputs.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text.h"
#include "support/error_text.h"

namespace fq::cli {
namespace {

using Words = std::vector<std::string>;

const ReadInput kRead = [](const std::string& path) -> std::string {
  if (path == "-") return "s 1\ns\t2\n";
  if (path == "none") return "\n\n";
  if (path == "lines") return "one\n\ntwo words\nthree";
  throw error(Kind::not_found, "cannot open {}: No such file or directory", quote(path));
};

/// `COMMAND | a,b | c,d`, or what is wrong.
std::string read(const Words& operands, std::string_view separator = "\\n") {
  std::string out;
  const std::string failure = error_text([&] {
    const BulkInputs inputs(operands, parse_separator(separator), kRead);
    out = join(inputs.command(), " ");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const InputRow row = inputs.row(i);
      EXPECT_EQ(row.seq, i);
      EXPECT_EQ(row.inputs.size(), inputs.width());
      out += " |";
      for (const std::string_view input : row.inputs) out += fmt::format(" {}", input);
    }
    return 0;
  });
  return failure == "no error" ? out : failure;
}

TEST(BulkInputs, follow_the_command) {
  // Lists are combined, the last one fastest; linked ones go along and begin again.
  EXPECT_EQ(read({"echo", "{}", ":::", "a", "b"}), "echo {} | a | b");
  EXPECT_EQ(read({":::", "a"}), " | a");
  EXPECT_EQ(read({"c", ":::", "1", "2", ":::", "x", "y", "z"}), "c | 1 x | 1 y | 1 z | 2 x | 2 y | 2 z");
  EXPECT_EQ(read({"c", ":::", "1", "2", "3", ":::+", "a", "b"}), "c | 1 a | 2 b | 3 a");
  EXPECT_EQ(read({"c", ":::", "1", "2", ":::+", "a", "b", "c", ":::", "x", "y"}),
            "c | 1 a x | 1 b y | 2 c x | 2 a y");
  EXPECT_EQ(read({"c", ":::", "::", ":::x", ""}), "c | :: | :::x | ");
}

TEST(BulkInputs, come_from_files_and_standard_input) {
  // Lines, empty ones left out; without a list it is standard input that is read.
  EXPECT_EQ(read({"c", "::::", "lines"}), "c | one | two words | three");
  EXPECT_EQ(read({"c", ":::", "1", "::::+", "lines"}), "c | 1 one");
  EXPECT_EQ(read({"c", "::::", "-", ":::+", "x"}), "c | s 1 x | s\t2 x");
  EXPECT_EQ(read({"c"}), "c | s 1 | s\t2");
  EXPECT_EQ(read({}), " | s 1 | s\t2");
}

TEST(BulkInputs, are_separated_as_asked_for) {
  // Text, escapes, or white space.
  EXPECT_EQ(read({"c"}, "none"), "c | s | 1 | s | 2");
  EXPECT_EQ(read({"c"}, "None"), "c | s | 1 | s | 2");
  EXPECT_EQ(read({"c"}, "s"), "c |  1\n | \t2\n");
  EXPECT_EQ(read({"c"}, "\\t"), "c | s 1\ns | 2\n");
  EXPECT_EQ(parse_separator("\\x41\\0\\\\").text, (std::string{"A\0\\", 3}));
  EXPECT_EQ(error_text([] { return parse_separator(""); }), "the separator is empty (none is white space)");
  EXPECT_EQ(error_text([] { return parse_separator("a\\q"); }),
            "'a\\q': after a backslash comes n, t, r, 0, \\ or xHH");
  EXPECT_EQ(error_text([] { return parse_separator("\\x4"); }),
            "'\\x4': after a backslash comes n, t, r, 0, \\ or xHH");
}

TEST(BulkInputs, refuse_lists_that_make_no_sense) {
  // No inputs, no file, nothing to go along with, more than could be stored.
  EXPECT_EQ(read({"c", ":::"}), "no inputs follow ':::'");
  EXPECT_EQ(read({"c", ":::", "a", ":::+"}), "no inputs follow ':::+'");
  EXPECT_EQ(read({"c", "::::"}), "'::::' takes one file, got 0");
  EXPECT_EQ(read({"c", "::::", "a", "b"}), "'::::' takes one file, got 2");
  EXPECT_EQ(read({"c", "::::", "nosuch"}), "cannot open 'nosuch': No such file or directory");
  EXPECT_EQ(read({"c", "::::", "none"}), "no inputs in 'none'");
  EXPECT_EQ(read({"c", ":::+", "a"}), "':::+' goes along with inputs before it, and there are none");
  EXPECT_EQ(read({"c"}, "s 1\ns\t2\n"), "no inputs on standard input");
  Words many{"c"};
  for (int list = 0; list < 5; ++list) {
    many.push_back(":::");
    for (int i = 0; i < 100; ++i) many.push_back("x");
  }
  EXPECT_EQ(read(many), "more than 10000000 combinations of inputs");
}

}  // namespace
}  // namespace fq::cli
