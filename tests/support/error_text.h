// What a call throws, as one string to compare with.

#pragma once

#include <string>

#include "base/error.h"

namespace fq {

/// The message of the Error that f() throws, with its hint in parentheses; `no error` when it throws none.
template <class F>
[[nodiscard]] std::string error_text(F f) {
  try {
    static_cast<void>(f());
  } catch (const Error& failure) {
    return failure.hint().empty() ? failure.what()
                                  : std::string{failure.what()} + " (" + failure.hint() + ")";
  }
  return "no error";
}

}  // namespace fq
