// A text of fq-bulksubmit's command line in which inputs are put:
//
//   {}  {N}              the input, the Nth of several from 0; a second {} in one text is the second input
//   {.METHOD} {N.METHOD} what a method makes of it: `%` without extension, `/` file name, `//` directory,
//                        `/%` file name without extension, or one of --define
//   {seq} {seq1}         the number of the job's inputs, from 0 or from 1
//   {cc}                 stays: it is replaced when the copies are made
//
// What stands in `{{…}}` or `${…}`, and braces around anything but letters, digits and the signs of methods,
// is kept as it is.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/submit/input_expression.h"

namespace fq::cli {

/// Methods of --define by name.
using InputMethods = std::map<std::string, InputExpression, std::less<>>;

/// Adds the method that NAME=CODE defines. Throws Error{invalid}.
void define_method(InputMethods& methods, std::string_view definition);

/// The inputs of one job.
struct InputRow {
  std::vector<std::string_view> inputs;
  std::size_t seq = 0;
};

class InputText {
 public:
  /// Reads a text for rows of `ninputs` inputs. `methods` outlives it. Throws Error{invalid} for an input or
  /// a method that there is not.
  InputText(std::string_view text, std::size_t ninputs, const InputMethods& methods);

  /// Whether it is the same text for all rows.
  [[nodiscard]] bool is_constant() const;
  /// The text for a row. Throws Error{invalid} where a method of --define fails.
  [[nodiscard]] std::string render(const InputRow& row) const;

 private:
  struct Piece {
    enum class Kind { literal, input, seq, seq1 } kind = Kind::literal;
    std::string text;  ///< of a literal; the name of an input's method, or empty
    std::size_t input = 0;
  };
  void add_literal(std::string_view text);
  bool add_tag(std::string_view tag, std::size_t ninputs, std::size_t& unnumbered);
  [[nodiscard]] std::string apply(const Piece& piece, std::string_view input) const;

  const InputMethods* methods_;
  std::vector<Piece> pieces_;
};

}  // namespace fq::cli
