#include "document/jobspec/directives.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "support/error_text.h"

namespace fq::document {
namespace {

/// `2: -N4 | 3: --job-name=a b`, or what was wrong.
std::string read_script(std::string_view script) {
  std::string out;
  const std::string failure = error_text([&] {
    for (const Directive& directive : parse_directives(script)) {
      out += fmt::format("{}{}:", out.empty() ? "" : "; ", directive.line);
      for (const std::string& word : directive.arguments) out += fmt::format(" [{}]", word);
    }
    return 0;
  });
  return failure == "no error" ? out : failure;
}

TEST(Directives, are_those_of_the_examples) {
  // RFC 36, the examples: shell, a Python docstring, Lua, comments between, quotes of every kind.
  EXPECT_EQ(
      read_script(
          "#!/bin/sh\n#FLUX: -N4                  # Request four nodes\n#FLUX: --queue=batch        # x\n"
          "#FLUX: --job-name=app001    # y\nflux run -N4 app\n"),
      "2: [-N4]; 3: [--queue=batch]; 4: [--job-name=app001]");
  EXPECT_EQ(
      read_script("#!/usr/bin/env python3\ndef main():\n    \"\"\"\n    flux: -N4\n    flux: --queue=batch\n"
                  "    flux: --job-name=\"my python job\"\n     \n    # Set some arbitrary user data:\n"
                  "    flux: --setattr=user.data='''\n    flux: x, y, z\n    flux: a, b, c\n    flux: '''\n"
                  "    \"\"\"\n    run()\n"),
      "4: [-N4]; 5: [--queue=batch]; 6: [--job-name=my python job]; "
      "9: [--setattr=user.data=x, y, z\na, b, c\n]");
  EXPECT_EQ(
      read_script("#!/usr/bin/lua\n--\n-- flux: -N1 --exclusive\n-- flux: --output=job.out\nlocal app\n"),
      "3: [-N1] [--exclusive]; 4: [--output=job.out]");
  EXPECT_EQ(
      read_script(
          "#!/bin/sh\n# Set flux directives\n#FLUX: -N1\n# Set job name:\n#FLUX: --job-name=test\nhostname"),
      "3: [-N1]; 5: [--job-name=test]");
  EXPECT_EQ(read_script("\"\"\"\nflux: --nodes=4\n\nSet an arbitrary value in jobspec:\n"
                        "flux: --setattr=user.foo=\"hello, earth\"\n\"\"\"\n"),
            "2: [--nodes=4]; 5: [--setattr=user.foo=hello, earth]");
  EXPECT_EQ(read_script("# flux: --setattr=user.data='{\"option\": \"arg\"}'\n"),
            "1: [--setattr=user.data={\"option\": \"arg\"}]");
  EXPECT_EQ(read_script("# flux: --job-name='''It's a \"job\"'''\n"), "1: [--job-name=It's a \"job\"]");
  EXPECT_EQ(
      read_script(
          "# flux: --setattr=user.conf=\"\"\"\n# flux: [config]\n# flux:   item = \"foo\"\n# flux: \"\"\"\n"),
      "1: [--setattr=user.conf=[config]\n  item = \"foo\"\n]");
  EXPECT_EQ(read_script("#!/bin/sh\n#FLUX: -N1\nhostname; date\n#FLUX: --job-name=test\n"),
            "line 4: the directives ended with line 2, '#FLUX:' comes too late");
}

TEST(Directives, have_tags_of_fq_too) {
  // `fq:` and `FQ:` do what `flux:` does; other words, and words that only end in it, do not.
  EXPECT_EQ(read_script("#fq: -n1\n#fq: -t5"), "1: [-n1]; 2: [-t5]");
  EXPECT_EQ(read_script("% FQ: -n1"), "1: [-n1]");
  EXPECT_EQ(read_script("# Flux: -n1\n# fluxus: -n1\nflux -n1\nxfq: -n1\n_fq: -n1\n"), "");
  EXPECT_EQ(read_script(""), "");
}

TEST(Directives, use_one_sentinel) {
  // Another prefix or another tag is an error: whoever wrote it meant a directive, or to have none.
  EXPECT_EQ(read_script("#FLUX: -N4\n#flux: -n4"),
            "line 2: expected '#FLUX:' as in the directives before, got '#flux:'");
  EXPECT_EQ(read_script("# flux: -N4\n#flux: -n4"),
            "line 2: expected '# flux:' as in the directives before, got '#flux:'");
  EXPECT_EQ(read_script("# fq: -N4\n# flux: -n4"),
            "line 2: expected '# fq:' as in the directives before, got '# flux:'");
}

TEST(Directives, end_where_the_prefix_does) {
  // Blank lines and lines with the prefix, its blanks at the end aside, may stand between.
  EXPECT_EQ(read_script("# fq: -n1\n\n#\n#x\n   \n# fq: -t1\n"), "1: [-n1]; 6: [-t1]");
  EXPECT_EQ(read_script("x\ny\n# fq: -n1\n# fq:\n# fq: # nothing\n# fq: -t1 # -c4"), "3: [-n1]; 6: [-t1]");
  EXPECT_EQ(read_script("-- fq: -n1\n- x\n-- fq: -t1"),
            "line 3: the directives ended with line 1, '-- fq:' comes too late");
}

TEST(Directives, are_quoted_as_in_a_shell) {
  // Quotes join words, a backslash takes one character; nothing is expanded.
  EXPECT_EQ(read_script(R"(#fq: -o a\ b 'c "\d' "e'\"\\\$\x" f''g"h" --x='' "")"),
            R"(1: [-o] [a b] [c "\d] [e'"\$\x] [fgh] [--x=] [])");
  EXPECT_EQ(read_script("#fq: --env=PATH=$PATH:~/bin --output={{id}}.*?[x] --begin-time='+1h'"),
            "1: [--env=PATH=$PATH:~/bin] [--output={{id}}.*?[x]] [--begin-time=+1h]");
  EXPECT_EQ(read_script("#fq: --x='a#b' \\#c#d e"), "1: [--x=a#b] [#c]");
  EXPECT_EQ(read_script("#fq: -n1\t -t1\r"), "1: [-n1] [-t1]");
  EXPECT_EQ(read_script("#fq: --a='''b''' --c=\"\"\"d 'e' \"f\" \\g\"\"\"h"),
            "1: [--a=b] [--c=d 'e' \"f\" \\gh]");
}

TEST(Directives, take_blocks_as_they_stand) {
  // Comments, blanks and other quotes inside are kept; what all lines are indented by is not.
  EXPECT_EQ(
      read_script("# fq: --a=b --c=\"\"\"\n# fq: [x] # note\n# fq:  y = '''\n# fq:\n#fq-no\n# fq: z\"\"\"\n"),
      "line 1: no closing triple quote for '--a=b --c=\"\"\"'");
  EXPECT_EQ(read_script(
                "# fq: --a=b --c=\"\"\"\n# fq: [x] # note\n# fq:  y = '''\n# fq:\n# fq: z\"\"\"\n# fq: -n1"),
            "1: [--a=b] [--c=[x] # note\n y = '''\n\nz]; 6: [-n1]");
  EXPECT_EQ(read_script("#fq: --c='''\n#fq: a"), "line 1: no closing triple quote for '--c=''''");
}

TEST(Directives, say_what_is_wrong) {
  // The line, and the text that is at fault.
  EXPECT_EQ(read_script("\n# fq: --job-name=\"foo"), "line 2: no closing quote: '--job-name=\"foo'");
  EXPECT_EQ(read_script("# fq: --job-name='foo''"), "line 1: no closing quote: '--job-name='foo'''");
  EXPECT_EQ(read_script("# fq: --job-name='''It's a \"job\""),
            "line 1: no closing triple quote: '--job-name='''It's a \"job\"'");
  EXPECT_EQ(read_script("# fq: --x=\\"), "line 1: nothing follows the backslash: '--x=\\'");
  EXPECT_EQ(read_script("# fq: --requires=a|b"), "line 1: '|' must be quoted: '--requires=a|b'");
  EXPECT_EQ(read_script("# fq: setargs -n1"), "line 1: expected options, got 'setargs'");
}

RC_GTEST_PROP(DirectiveQuoting, gives_back_what_was_quoted, (const std::string& text)) {
  // Any text in single quotes, itself without them, is one word again.
  std::string word;
  for (const char c : text) {
    if (c != '\'' && c != '\n') word += c;
  }
  const auto directives = parse_directives(fmt::format("# fq: --x='{}' -n1\n", word));
  RC_ASSERT(directives.size() == 1U);
  RC_ASSERT(directives[0].arguments == (std::vector<std::string>{"--x=" + word, "-n1"}));
}

}  // namespace
}  // namespace fq::document
