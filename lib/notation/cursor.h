// A place in a text that is being decoded, and the one form of the errors of this layer:
// `invalid idset '1,x': expected a number at character 3`.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace fq::notation {

class Cursor {
 public:
  /// `what` names the form in messages ("idset"). Both must outlive the cursor.
  Cursor(std::string_view what, std::string_view text) : what_(what), text_(text) {}

  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  /// True, and one further, if `c` comes next.
  bool accept(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// The longest run of characters from here for which `wanted` holds, perhaps empty; moves behind it.
  template <class Predicate>
  [[nodiscard]] std::string_view take_while(Predicate wanted) {
    const std::size_t from = at_;
    while (!at_end() && wanted(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }
  [[nodiscard]] std::string_view digits() {
    return take_while([](char c) { return c >= '0' && c <= '9'; });
  }

  /// Error{invalid}: `invalid <what> '<text>': <problem> at character <position, counted from 1>`.
  [[nodiscard]] Error error_at(std::size_t position, std::string_view problem) const {
    return error(Kind::invalid, "invalid {} {}: {} at character {}", what_, quote_cut(text_), problem,
                 position + 1);
  }
  [[nodiscard]] Error error_here(std::string_view problem) const { return error_at(at_, problem); }

 private:
  std::string_view what_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace fq::notation
