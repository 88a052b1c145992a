// The constraint query syntax (RFC 35) that people type after --requires: `gpu and not host:node[1-2]`
// becomes the RFC 31 object that Constraint reads.
//
//   expr:  expr [and] expr | expr or expr | not expr | '(' expr ')' | '-' term | term
//   and:   & && and
//   or:    | || or
//   term:  [operator ':'] operand
//
// Single or double quotes, anywhere in a term, take blanks and the characters & | ( ) and the other quote.
// Written operators bind as usual: `not` before `and` before `or`. A blank closes what stands before it, as
// if in parentheses, and the term after it binds as with `&`: `a|b c` is (a or b) and c, `a b|c` is (a and b)
// or c.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace fq::document {

/// The RFC 31 object for `text`. A bare term is a property; `host:` and `hosts:` mean hostlist, `rank:` means
/// ranks. A text of blanks gives `{}`. Throws Error{invalid} `constraint 'a and': column 6: …`.
[[nodiscard]] nlohmann::json parse_constraint_syntax(std::string_view text);
/// Several texts, each taken whole, joined with `and`: their order does not matter.
[[nodiscard]] nlohmann::json parse_constraint_syntax(const std::vector<std::string>& texts);

/// A text for a valid RFC 31 object, as a user would have written it; nodes of a queue, which have the
/// property `+NAME`, as `queue:NAME`. Nothing for what the syntax cannot say, such as an empty `not`.
[[nodiscard]] std::optional<std::string> format_constraint_syntax(const nlohmann::json& constraint);

}  // namespace fq::document
