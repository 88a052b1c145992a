#include "base/shell_words.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "support/error_text.h"

namespace fq {
namespace {

std::string split_text(std::string_view text) {
  std::string out;
  const std::string failure = error_text([&] {
    for (const std::string& word : split_shell_words(text)) out += "[" + word + "]";
    return 0;
  });
  return failure == "no error" ? out : failure;
}

TEST(ShellWords, are_cut_at_blanks_that_are_not_quoted) {
  // Each row is a line and its words, or what is wrong with it.
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {" \t\n", ""},
      {"a", "[a]"},
      {"  sleep  5\t", "[sleep][5]"},
      {"sh -c 'echo \"a b\" $X'", "[sh][-c][echo \"a b\" $X]"},
      {R"("a\"b\$\`\\\n" c\ d)", R"([a"b$`\\n][c d])"},
      {R"('a\' b)", R"([a\][b])"},
      {"''", "[]"},
      {"a''\"\"b", "[ab]"},
      {"* ~ {x} #c", "[*][~][{x}][#c]"},
      {"'a", "''a': no closing quote"},
      {"a\\", "'a\\': nothing follows the backslash"},
  };
  for (const auto& [text, words] : cases) EXPECT_EQ(split_text(text), words) << text;
}

TEST(ShellWords, are_quoted_where_they_must_be) {
  // Names, options and templates stay readable.
  EXPECT_EQ(shell_quote("--job-name=a.b"), "--job-name=a.b");
  EXPECT_EQ(shell_quote("{{id}}"), "{{id}}");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote("ƒ1"), "'ƒ1'");
}

RC_GTEST_PROP(ShellWordsProperty, quoting_is_undone_by_splitting, (const std::vector<std::string>& words)) {
  // Any words, quoted and joined, are these words again.
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quote(word));
  RC_ASSERT(split_shell_words(join(quoted, " ")) == words);
}

}  // namespace
}  // namespace fq
