#include "cli/submit/input_expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace fq::cli {
namespace {

using Integer = std::int64_t;
using Value = std::variant<Integer, std::string>;
using Values = std::vector<Value>;

constexpr std::string_view kBlanks = " \t";

const std::string& as_text(const Value& value, std::string_view what) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  throw error(Kind::invalid, "{} takes text, got {}", what, std::get<Integer>(value));
}

Integer as_number(const Value& value, std::string_view what) {
  if (const auto* number = std::get_if<Integer>(&value)) return *number;
  throw Error{Kind::invalid,
              fmt::format("{} takes numbers, got the text {}", what, quote(std::get<std::string>(value))),
              "int(x) is the number that x spells"};
}

Error too_large() {
  return Error{Kind::invalid, "the result is too large"};
}
Integer add(Integer a, Integer b) {
  if (__builtin_add_overflow(a, b, &a)) throw too_large();
  return a;
}
Integer subtract(Integer a, Integer b) {
  if (__builtin_sub_overflow(a, b, &a)) throw too_large();
  return a;
}
Integer multiply(Integer a, Integer b) {
  if (__builtin_mul_overflow(a, b, &a)) throw too_large();
  return a;
}

Integer power(Integer base, Integer exponent) {
  if (exponent < 0) throw Error{Kind::invalid, "an exponent cannot be negative"};
  Integer result = 1;
  // A square is taken only when it is needed: that of the last one may be too large.
  for (;;) {
    if (exponent % 2 != 0) result = multiply(result, base);
    exponent /= 2;
    if (exponent == 0) return result;
    base = multiply(base, base);
  }
}

/// Division that rounds down, as Python's, and its remainder.
std::pair<Integer, Integer> divide(Integer a, Integer b) {
  if (b == 0) throw Error{Kind::invalid, "division by zero"};
  if (b == -1) return {subtract(0, a), 0};
  const Integer rest = a % b;
  const bool down = rest != 0 && (rest < 0) != (b < 0);
  return {a / b - (down ? 1 : 0), rest + (down ? b : 0)};
}

Value operate(std::string_view sign, const Value& left, const Value& right) {
  if (sign == "+" && std::holds_alternative<std::string>(left)) {
    return std::get<std::string>(left) + as_text(right, "joining to text");
  }
  const Integer a = as_number(left, quote(sign));
  const Integer b = as_number(right, quote(sign));
  if (sign == "+") return add(a, b);
  if (sign == "-") return subtract(a, b);
  if (sign == "*") return multiply(a, b);
  if (sign == "//") return divide(a, b).first;
  if (sign == "%") return divide(a, b).second;
  return power(a, b);
}

Value to_integer(const Value& value) {
  if (std::holds_alternative<Integer>(value)) return value;
  const std::string_view text = trim(std::get<std::string>(value));
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  Integer number = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (status != std::errc{} || end != digits.data() + digits.size() || text.starts_with("+-")) {
    throw error(Kind::invalid, "{} is not a whole number", quote(text));
  }
  return number;
}

std::string to_text(const Value& value) {
  if (const auto* number = std::get_if<Integer>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

template <typename Change>
Value each_byte(const Value& value, std::string_view what, Change change) {
  std::string text = as_text(value, what);
  std::transform(text.begin(), text.end(), text.begin(), change);
  return text;
}

Value replace(const Values& values) {
  std::string text = as_text(values[0], "replace()");
  const std::string& from = as_text(values[1], "replace()");
  const std::string& to = as_text(values[2], "replace()");
  if (from.empty()) throw Error{Kind::invalid, "replace() needs a text to look for"};
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

Value zfill(const Values& values) {
  constexpr Integer kMost = 1000;
  std::string text = as_text(values[0], "zfill()");
  const Integer width = as_number(values[1], "zfill()");
  if (width > kMost) throw error(Kind::invalid, "zfill() takes at most {}, got {}", kMost, width);
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  if (width > 0 && text.size() < static_cast<std::size_t>(width)) {
    text.insert(sign, static_cast<std::size_t>(width) - text.size(), '0');
  }
  return text;
}

Value length(const Values& values) {
  const std::string& text = as_text(values[0], "len()");
  constexpr auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
  return static_cast<Integer>(std::count_if(text.begin(), text.end(), is_first_byte));
}

struct Function {
  std::string_view name;
  std::size_t arguments;  ///< of a method with the text that it is called on
  Value (*call)(const Values&);
};

constexpr std::array kFunctions{
    Function{"int", 1, [](const Values& v) { return to_integer(v[0]); }},
    Function{"str", 1, [](const Values& v) -> Value { return to_text(v[0]); }},
    Function{"len", 1, length},
};
constexpr std::array kMethods{
    Function{"upper", 1,
             [](const Values& v) {
               return each_byte(v[0], "upper()",
                                [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
             }},
    Function{"lower", 1,
             [](const Values& v) {
               return each_byte(v[0], "lower()",
                                [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
             }},
    Function{"strip", 1,
             [](const Values& v) -> Value { return std::string{trim(as_text(v[0], "strip()"))}; }},
    Function{"replace", 3, replace},
    Function{"zfill", 2, zfill},
};

template <std::size_t N>
const Function& find_function(const std::array<Function, N>& table, std::string_view name) {
  std::vector<std::string> names;
  for (const Function& function : table) {
    if (function.name == name) return function;
    names.emplace_back(function.name);
  }
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = "there are " + join(names, ", ");
  throw Error{Kind::invalid, fmt::format("there is no function {}", quote(name)), hint};
}

using Node = std::function<Value(std::string_view x)>;

/// Recursive descent; `**` binds tighter than a sign before it and to the right, as in Python.
class Parser {
 public:
  explicit Parser(std::string_view code) : code_(code) {}

  Node parse() {
    Node node = sum();
    if (!at_end()) throw unexpected("an operator");
    return node;
  }

  [[nodiscard]] std::size_t column() const { return at_ + 1; }

 private:
  static constexpr int kMaxDepth = 64;

  Node sum() {
    if (++depth_ > kMaxDepth) throw Error{Kind::invalid, "the parentheses nest too deep"};
    Node node = product();
    for (;;) {
      if (take("+")) {
        node = binary("+", std::move(node), product());
      } else if (take("-")) {
        node = binary("-", std::move(node), product());
      } else {
        --depth_;
        return node;
      }
    }
  }

  Node product() {
    Node node = negation();
    for (;;) {
      if (take("//")) {
        node = binary("//", std::move(node), negation());
      } else if (peek("/")) {
        throw Error{Kind::invalid, "'/' would give fractions", "// divides whole numbers"};
      } else if (!peek("**") && take("*")) {
        node = binary("*", std::move(node), negation());
      } else if (take("%")) {
        node = binary("%", std::move(node), negation());
      } else {
        return node;
      }
    }
  }

  Node negation() {
    if (!take("-")) return exponential();
    if (++depth_ > kMaxDepth) throw Error{Kind::invalid, "too many signs"};
    Node node = binary(
        "-", [](std::string_view) -> Value { return Integer{0}; }, negation());
    --depth_;
    return node;
  }

  Node exponential() {
    Node base = primary();
    if (!take("**")) return base;
    if (++depth_ > kMaxDepth) throw Error{Kind::invalid, "too many powers"};
    Node node = binary("**", std::move(base), negation());
    --depth_;
    return node;
  }

  Node primary() {
    Node node = operand();
    while (take(".")) {
      const std::string_view name = take_name();
      std::vector<Node> arguments{std::move(node)};
      node = call(find_function(kMethods, name), std::move(arguments));
    }
    return node;
  }

  Node operand() {
    skip_blanks();
    if (at_end()) throw unexpected("a value");
    const char c = code_[at_];
    if (take("(")) {
      Node node = sum();
      expect(")");
      return node;
    }
    if (c == '\'' || c == '"') return literal(take_text(c));
    if (c >= '0' && c <= '9') return literal(take_number());
    const std::string_view name = take_name();
    if (name == "x") return [](std::string_view x) -> Value { return std::string{x}; };
    return call(find_function(kFunctions, name), {});
  }

  Node call(const Function& function, std::vector<Node> arguments) {
    expect("(");
    if (!peek(")")) {
      do {
        arguments.push_back(sum());
      } while (take(","));
    }
    expect(")");
    if (arguments.size() != function.arguments) {
      throw error(Kind::invalid, "wrong number of arguments for {}", quote(function.name));
    }
    return [call = function.call, arguments = std::move(arguments)](std::string_view x) {
      Values values;
      for (const Node& argument : arguments) values.push_back(argument(x));
      return call(values);
    };
  }

  static Node literal(Value value) {
    return [value = std::move(value)](std::string_view) { return value; };
  }
  static Node binary(std::string_view sign, Node left, Node right) {
    return [sign, left = std::move(left), right = std::move(right)](std::string_view x) {
      return operate(sign, left(x), right(x));
    };
  }

  Value take_number() {
    Integer number = 0;
    const auto [end, status] = std::from_chars(code_.data() + at_, code_.data() + code_.size(), number);
    if (status != std::errc{}) throw Error{Kind::invalid, "the number is too large"};
    at_ = static_cast<std::size_t>(end - code_.data());
    if (peek_char() == '.') throw Error{Kind::invalid, "numbers are whole"};
    return number;
  }

  Value take_text(char mark) {
    const std::size_t end = code_.find(mark, at_ + 1);
    if (end == std::string_view::npos) throw Error{Kind::invalid, "no closing quote"};
    std::string text{code_.substr(at_ + 1, end - at_ - 1)};
    at_ = end + 1;
    return text;
  }

  std::string_view take_name() {
    skip_blanks();
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    std::size_t end = at_;
    while (end < code_.size() && is_letter(code_[end])) ++end;
    if (end == at_) throw unexpected("a value");
    const std::string_view name = code_.substr(at_, end - at_);
    at_ = end;
    return name;
  }

  void skip_blanks() {
    while (at_ < code_.size() && kBlanks.find(code_[at_]) != std::string_view::npos) ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == code_.size();
  }
  [[nodiscard]] char peek_char() const { return at_ < code_.size() ? code_[at_] : '\0'; }
  bool peek(std::string_view sign) {
    skip_blanks();
    return code_.substr(at_).starts_with(sign);
  }
  bool take(std::string_view sign) {
    if (!peek(sign)) return false;
    at_ += sign.size();
    return true;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) throw unexpected(quote(sign));
  }
  Error unexpected(std::string_view expected) {
    if (at_end()) return error(Kind::invalid, "expected {}, got the end", expected);
    return error(Kind::invalid, "expected {}, got {}", expected, quote(code_.substr(at_)));
  }

  std::string_view code_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

InputExpression::InputExpression(std::string_view code) {
  Parser parser{code};
  try {
    evaluate_ = [node = parser.parse()](std::string_view x) { return to_text(node(x)); };
  } catch (const Error& failure) {
    throw failure.within(fmt::format("column {}", parser.column()));
  }
}

std::string InputExpression::evaluate(std::string_view x) const {
  return evaluate_(x);
}

}  // namespace fq::cli
