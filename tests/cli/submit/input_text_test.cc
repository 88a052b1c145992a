#include "cli/submit/input_text.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "support/error_text.h"

namespace fq::cli {
namespace {

InputMethods sample_methods() {
  InputMethods methods;
  define_method(methods, "p2=2**int(x)");
  define_method(methods, "up_1=x.upper()");
  return methods;
}

/// The text for these inputs, or what is wrong with it.
std::string put(std::string_view text, std::vector<std::string_view> inputs, std::size_t seq = 0) {
  const InputMethods methods = sample_methods();
  std::string out;
  const std::string failure = error_text([&] {
    out = InputText{text, inputs.size(), methods}.render({inputs, seq});
    return 0;
  });
  return failure == "no error" ? out : failure;
}

TEST(InputText, takes_inputs) {
  // By number, or in turn where there are several; one input is meant by every {}.
  EXPECT_EQ(put("{}", {"a b"}), "a b");
  EXPECT_EQ(put("-{}-{}-", {"a"}), "-a-a-");
  EXPECT_EQ(put("{1}{0}{1}", {"a", "b"}), "bab");
  EXPECT_EQ(put("{}.{}", {"a", "b"}), "a.b");
  EXPECT_EQ(put("{seq} {seq1}", {"a"}, 7), "7 8");
  EXPECT_EQ(put("", {"a"}), "");
}

TEST(InputText, takes_parts_of_paths) {
  // As Python's os.path cuts them; each row is a path and its parts.
  const struct {
    const char *path, *stem, *name, *directory, *name_stem;
  } cases[] = {
      {"/a/b/c/d.txt", "/a/b/c/d", "d.txt", "/a/b/c", "d"},
      {"/a/b/c/d", "/a/b/c/d", "d", "/a/b/c", "d"},
      {"c.txt", "c", "c.txt", "", "c"},
      {"a.b/c", "a.b/c", "c", "a.b", "c"},
      {"a.tar.gz", "a.tar", "a.tar.gz", "", "a.tar"},
      {".bashrc", ".bashrc", ".bashrc", "", ".bashrc"},
      {"..a", "..a", "..a", "", "..a"},
      {"a.", "a", "a.", "", "a"},
      {"/x", "/x", "x", "/", "x"},
      {"//x", "//x", "x", "//", "x"},
      {"a//b/", "a//b/", "", "a//b", ""},
      {"", "", "", "", ""},
  };
  for (const auto& [path, stem, name, directory, name_stem] : cases) {
    EXPECT_EQ(put("{.%}", {path}), stem) << path;
    EXPECT_EQ(put("{./}", {path}), name) << path;
    EXPECT_EQ(put("{0.//}", {path}), directory) << path;
    EXPECT_EQ(put("{./%}", {path}), name_stem) << path;
  }
}

TEST(InputText, takes_methods_that_were_defined) {
  // By name, on any input; what fails says for which input.
  EXPECT_EQ(put("{.p2} {1.up_1}", {"3", "ab"}), "8 AB");
  EXPECT_EQ(put("{.p2}", {"x"}), "{.p2} of 'x': 'x' is not a whole number");
  InputMethods methods;
  const auto define = [&](std::string_view text) {
    return error_text([&] {
      define_method(methods, text);
      return 0;
    });
  };
  EXPECT_EQ(define("p2"), "'p2': expected NAME=CODE");
  EXPECT_EQ(define("=x"), "'=x': expected NAME=CODE");
  EXPECT_EQ(define("2p=x"), "'2p=x': expected NAME=CODE");
  EXPECT_EQ(define("p=y"), "'p=y': column 2: there is no function 'y' (there are int, str, len)");
}

TEST(InputText, leaves_other_braces_alone) {
  // Templates of the job's shell, variables, {cc}, and what could be no substitution.
  for (const std::string_view text : {"{{id}}", "{{}}", "${HOME}", "${}", "{cc}", "{print $1}", "{a,b}", "{",
                                      "}", "a{", "{{id", "{ }", "{-}"}) {
    EXPECT_EQ(put(text, {"x"}), text);
  }
  EXPECT_EQ(put("{{{}}}", {"x"}), "{{{}}}");
  EXPECT_EQ(put("{ {}", {"x"}), "{ x");
}

TEST(InputText, refuses_what_there_is_not) {
  // A misspelt substitution is an error, not text.
  EXPECT_EQ(put("{1}", {"a"}), "{1}: there is 1 input, {0}");
  EXPECT_EQ(put("{2}", {"a", "b"}), "{2}: there are 2 inputs, {0} to {1}");
  EXPECT_EQ(put("{}{}{}", {"a", "b"}), "{}: there are 2 inputs, {0} to {1}");
  EXPECT_EQ(put("{9999999}", {"a"}), "{9999999}: there is no such substitution");
  EXPECT_EQ(put("{f}", {"a"}), "{f}: there is no such substitution");
  EXPECT_EQ(put("{sequ}", {"a"}), "{sequ}: there is no such substitution (did you mean 'seq'?)");
  EXPECT_EQ(put("{.up1}", {"a"}), "{.up1}: there is no method 'up1' (did you mean 'up_1'?)");
  EXPECT_EQ(put("{1..3}", {"a", "b"}), "{1..3}: there is no method '.3' (there are %, /, //, /%, p2, up_1)");
  EXPECT_EQ(put("{0.}", {"a"}), "{0.}: there is no method '' (there are %, /, //, /%, p2, up_1)");
}

TEST(InputText, knows_whether_it_is_constant) {
  // {cc} is not its business.
  const InputMethods methods;
  EXPECT_TRUE(InputText("a{cc}${x}{{id}}", 1, methods).is_constant());
  EXPECT_FALSE(InputText("{}", 1, methods).is_constant());
  EXPECT_FALSE(InputText("a{seq}", 1, methods).is_constant());
}

}  // namespace
}  // namespace fq::cli
