// Submission directives (RFC 36): options for the submitting command that stand in the script itself.
//
//   #!/bin/sh
//   # flux: -N2 -t 1h               # what follows an unquoted '#' is a comment
//   # flux: --setattr=user.conf="""
//   # flux: [config]
//   # flux: """
//
// A directive's line begins with characters that are no letters or digits, then a tag: `flux:` or `FLUX:`, or
// fq's own `fq:` or `FQ:`. Both together are the sentinel, the same in all of a script. Directives end at the
// first line that is not blank and does not begin as the first directive did; one that comes later is an
// error, as is, before the first line of code, a comment that is one but for the colon. Words are quoted as
// in a POSIX shell; a triple quote takes everything up to the next one, over several lines when it ends its
// line.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fq::document {

struct Directive {
  std::size_t line = 0;                ///< where it begins, from 1
  std::vector<std::string> arguments;  ///< the first one begins with a dash

  friend bool operator==(const Directive&, const Directive&) = default;
};

/// The directives of a script in their order; those that hold nothing, or only a comment, are left out.
/// Throws Error{invalid} `line 3: …`.
[[nodiscard]] std::vector<Directive> parse_directives(std::string_view script);

}  // namespace fq::document
