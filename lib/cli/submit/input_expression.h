// The CODE of --define=NAME=CODE: what becomes of an input `x`. A small part of Python, in which simple
// definitions made for Flux mean the same:
//
//   x                      the input, text
//   12   'text' "text"     numbers are whole
//   + - * // % **  -a  (…) as in Python, on whole numbers; + also joins texts
//   int(a) str(a) len(a)
//   a.upper() a.lower() a.strip() a.replace(b, c) a.zfill(n)      upper and lower know ASCII letters

#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace fq::cli {

class InputExpression {
 public:
  /// Throws Error{invalid} `column 4: …` for what is not of this form.
  explicit InputExpression(std::string_view code);

  /// The value for the input, as text. Throws Error{invalid} where an operation cannot be done.
  [[nodiscard]] std::string evaluate(std::string_view x) const;

 private:
  std::function<std::string(std::string_view x)> evaluate_;
};

}  // namespace fq::cli
