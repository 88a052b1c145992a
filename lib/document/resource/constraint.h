// Job constraints (RFC 31): which execution targets of an inventory a job may use, as a tree of `properties`,
// `hostlist`, `ranks`, `and`, `or` and `not`. Matching combines idsets and never visits a node by itself.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "notation/idset.h"

namespace fq {
class JsonAt;
}

namespace fq::document {

class ResourceSet;

/// A parsed constraint. Immutable, cheap to copy.
class Constraint {
 public:
  /// Operators nested deeper than this are refused: keeps a jobspec that holds a constraint below
  /// kMaxJsonDepth, and bounds the recursion of everything that walks the tree.
  static constexpr int kMaxDepth = 32;
  /// One `hostlist` may name this many hosts, as many as a resource set may have nodes.
  static constexpr std::uint64_t kMaxHosts = std::uint64_t{1} << 18;

  /// Matches everything, as `{}` does.
  Constraint();

  /// Reads an RFC 31 object of one operator. `{}`, `{"and":[]}` and `{"or":[]}` match all, `{"not":[]}`
  /// nothing; `not` of several negates their conjunction; no value of `properties` matches all, none of
  /// `hostlist` or `ranks` nothing. Throws Error{invalid} `PATH: unknown operator 'propertys'` and the like.
  [[nodiscard]] static Constraint parse(const JsonAt& at);
  [[nodiscard]] static Constraint from_json_text(std::string_view text);

  /// The ranks of `inventory` that satisfy this.
  [[nodiscard]] notation::Idset match(const ResourceSet& inventory) const;
  /// RFC 31 text in which nesting, order and repetition that change nothing are removed, so that constraints
  /// that differ only in these give the same text. Matches the same ranks as this.
  [[nodiscard]] std::string canonical() const;
  /// Whether this is known to match every rank of every inventory, as `{}` does.
  [[nodiscard]] bool matches_all() const;

  struct Term;

 private:
  explicit Constraint(std::shared_ptr<const Term> root);
  std::shared_ptr<const Term> root_;
};

/// Checks one value of the operator `properties`: a property name, perhaps with `^` before it. Throws
/// Error{invalid}.
void check_constraint_property(std::string_view text);

/// A job's constraint has at most so many bytes of JSON text: each pass reads those of all jobs that wait.
inline constexpr std::size_t kMaxJobConstraint = std::size_t{64} << 10;
/// Throws Error{invalid} for a larger one.
void require_job_constraint_size(const JsonAt& constraint);

/// The conjunction of `terms` as an RFC 31 object: nested `and` is flattened, property lists become one, and
/// what is there already or matches everything is left out. Throws Error{invalid} as Constraint::parse.
[[nodiscard]] nlohmann::json join_constraints(const std::vector<nlohmann::json>& terms);
[[nodiscard]] nlohmann::json join_constraints(const nlohmann::json& a, const nlohmann::json& b);

}  // namespace fq::document
