#include "cli/submit/input_expression.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "support/error_text.h"

namespace fq::cli {
namespace {

std::string value_of(std::string_view code, std::string_view x = "5") {
  std::string value;
  const std::string failure = error_text([&] {
    value = InputExpression{code}.evaluate(x);
    return 0;
  });
  return failure == "no error" ? value : failure;
}

TEST(InputExpression, means_what_it_means_in_python) {
  // Each row is an expression, an input and the value that Python gives.
  const struct {
    const char *code, *x, *value;
  } cases[] = {
      {"x", "a b", "a b"},
      {"2**int(x)", "8", "256"},
      {"2**int(x)", "62", "4611686018427387904"},
      {"int(x) * 2 + 1", "5", "11"},
      {"1 + 2 * 3 - 4", "", "3"},
      {"(1 + 2) * 3", "", "9"},
      {"2 ** 3 ** 2", "", "512"},
      {"-2 ** 2", "", "-4"},
      {"2 * -3", "", "-6"},
      {"--3", "", "3"},
      {"7 // 2", "", "3"},
      {"-7 // 2", "", "-4"},
      {"7 // -2", "", "-4"},
      {"7 % 3", "", "1"},
      {"-7 % 3", "", "2"},
      {"7 % -3", "", "-2"},
      {"7 // -1", "", "-7"},
      {"0 ** 0", "", "1"},
      {"int(' +12 ')", "", "12"},
      {"int(-3)", "", "-3"},
      {"int('-3')", "", "-3"},
      {"x + '.out'", "a", "a.out"},
      {"'n' + str(int(x) + 1)", "09", "n10"},
      {"x.upper() + x.lower()", "aBé", "ABéabé"},
      {"x.strip().replace('a', 'aa').zfill(6)", " bab ", "00baab"},
      {"x.zfill(4)", "-7", "-007"},
      {"str(int(x)).zfill(3)", "7", "007"},
      {"len(x)", "日本", "2"},
      {"\"it's\"", "", "it's"},
  };
  for (const auto& [code, x, value] : cases) EXPECT_EQ(value_of(code, x), value) << code;
}

TEST(InputExpression, refuses_what_it_is_not) {
  // Other Python is an error with its column, before any job is made.
  const std::pair<const char*, const char*> cases[] = {
      {"", "column 1: expected a value, got the end"},
      {"1 +", "column 4: expected a value, got the end"},
      {"1 2", "column 3: expected an operator, got '2'"},
      {"(1", "column 3: expected ')', got the end"},
      {"x / 2", "column 3: '/' would give fractions (// divides whole numbers)"},
      {"1.5", "column 2: numbers are whole"},
      {"99999999999999999999", "column 1: the number is too large"},
      {"'a", "column 1: no closing quote"},
      {"y", "column 2: there is no function 'y' (there are int, str, len)"},
      {"itn(x)", "column 4: there is no function 'itn' (did you mean 'int'?)"},
      {"x.uper()", "column 7: there is no function 'uper' (did you mean 'upper'?)"},
      {"x.split(',')",
       "column 8: there is no function 'split' (there are upper, lower, strip, replace, zfill)"},
      {"x[0]", "column 2: expected an operator, got '[0]'"},
      {"int()", "column 6: wrong number of arguments for 'int'"},
      {"int(x, 2)", "column 10: wrong number of arguments for 'int'"},
      {"int", "column 4: expected '(', got the end"},
  };
  for (const auto& [code, message] : cases) EXPECT_EQ(value_of(code), message) << code;
  EXPECT_EQ(value_of(std::string(100, '(')), "column 65: the parentheses nest too deep");
  EXPECT_EQ(value_of(std::string(100, '-')), "column 65: too many signs");
}

TEST(InputExpression, says_what_cannot_be_done) {
  // With this input: no number, too large, divided by nothing, kinds that do not mix.
  EXPECT_EQ(value_of("int(x)", "a"), "'a' is not a whole number");
  EXPECT_EQ(value_of("int(x)", ""), "'' is not a whole number");
  EXPECT_EQ(value_of("int(x)", "+-1"), "'+-1' is not a whole number");
  EXPECT_EQ(value_of("2**63"), "the result is too large");
  EXPECT_EQ(value_of("9223372036854775807 + 1"), "the result is too large");
  EXPECT_EQ(value_of("2**-1"), "an exponent cannot be negative");
  EXPECT_EQ(value_of("1//0"), "division by zero");
  EXPECT_EQ(value_of("1%0"), "division by zero");
  EXPECT_EQ(value_of("x * 2"), "'*' takes numbers, got the text '5' (int(x) is the number that x spells)");
  EXPECT_EQ(value_of("x + 1"), "joining to text takes text, got 1");
  EXPECT_EQ(value_of("1 + x"), "'+' takes numbers, got the text '5' (int(x) is the number that x spells)");
  EXPECT_EQ(value_of("len(1)"), "len() takes text, got 1");
  EXPECT_EQ(value_of("x.zfill(2000)"), "zfill() takes at most 1000, got 2000");
  EXPECT_EQ(value_of("x.replace('', 'a')"), "replace() needs a text to look for");
}

RC_GTEST_PROP(InputExpressionProperty, division_and_remainder_belong_together, ()) {
  // a == a // b * b + a % b, with the remainder on the side of b.
  const int a = *rc::gen::arbitrary<int>();
  const int b = *rc::gen::nonZero<int>();
  const auto number = [&](const char* sign) {
    return std::stoll(InputExpression{fmt::format("({}) {} ({})", a, sign, b)}.evaluate(""));
  };
  RC_ASSERT(number("//") * b + number("%") == a);
  RC_ASSERT(number("%") == 0 || (number("%") < 0) == (b < 0));
}

RC_GTEST_PROP(InputExpressionProperty, any_text_is_read_or_refused, (const std::string& code)) {
  // No code makes it fail in another way.
  static_cast<void>(value_of(code));
}

}  // namespace
}  // namespace fq::cli
