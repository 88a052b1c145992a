#include "base/regex.h"

#include <string>

#include <re2/re2.h>

#include "base/error.h"
#include "base/text.h"

namespace fq {
namespace {

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  return options;
}

}  // namespace

struct Regex::Compiled {
  explicit Compiled(std::string_view pattern) : expression(piece(pattern), options()) {}

  RE2 expression;
};

Regex::Regex(std::string_view pattern) : compiled_(std::make_unique<const Compiled>(pattern)) {
  const RE2& expression = compiled_->expression;
  if (expression.ok()) return;
  // `REASON: PART`, and the part may be as long as the pattern.
  std::string reason = expression.error();
  if (const std::string& part = expression.error_arg(); !part.empty() && reason.ends_with(": " + part)) {
    reason.resize(reason.size() - part.size() - 2);
    if (part != pattern) reason += " at " + quote_cut(part);
  }
  throw error(Kind::usage, "{} is not a regular expression: {}", quote_cut(pattern), reason);
}

Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

bool Regex::found_in(std::string_view text) const {
  return compiled_->expression.Match(piece(text), 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

bool Regex::fits_start_of(std::string_view text) const {
  return compiled_->expression.Match(piece(text), 0, text.size(), RE2::ANCHOR_START, nullptr, 0);
}

}  // namespace fq
