// Job dependencies (RFC 26) in their three forms:
//
//   command line   afterok:ƒ2GMuTnf   begin-time:+5m   singleton SCHEME[:VALUE][?KEY=VALUE[&KEY=VALUE…]]
//   jobspec        {"scheme":"afterok","value":"ƒ2GMuTnf"}
//   event log      after-success=ƒ2GMuTnf        the description of dependency-add and dependency-remove
//
// Job ids are read in any form of RFC 19 and written as f58, so that equal dependencies have equal
// descriptions.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/json.h"
#include "notation/fluid.h"

namespace fq::document {

enum class DependencyKind {
  after_start,   ///< `after`, `afterstart`, `after-start`: the other job has started
  after_any,     ///< `afterany`: it has ended
  after_ok,      ///< `afterok`: it has ended with success
  after_notok,   ///< `afternotok`: it has ended without success
  after_except,  ///< `afterexcept`: it ran, and an exception ended it
  begin_time,    ///< the time has come
  singleton,     ///< no other job of the same user and name is active
};

/// Whether it is about one other job.
[[nodiscard]] constexpr bool is_on_a_job(DependencyKind kind) {
  return kind != DependencyKind::begin_time && kind != DependencyKind::singleton;
}

struct Dependency {
  DependencyKind kind = DependencyKind::after_any;
  notation::JobId job{};  ///< of the after kinds
  double begin_time = 0;  ///< of begin_time: seconds since the epoch, to the microsecond

  friend bool operator==(const Dependency&, const Dependency&) = default;
};

/// The RFC 26 scheme that fq writes for `kind`: `after`, `afterany`, ….
[[nodiscard]] std::string_view scheme(DependencyKind kind);

/// Reads the command-line form into its RFC 26 object, with what follows `?` as further string keys. `now` is
/// what a begin time (begin_time.h) of `+FSD` or `18:30` counts from. The words of descriptions
/// (`after-start`, `after-finish`, `after-success`, `after-failure`, `after-except`) are accepted as schemes
/// too; fq's own scheme names are written. Throws Error{invalid} `dependency 'TEXT': …`.
[[nodiscard]] nlohmann::json parse_dependency_object(std::string_view text, double now);
/// The same, read. None of fq's schemes has keys of its own: those after `?` are refused.
[[nodiscard]] Dependency parse_dependency_option(std::string_view text, double now);
/// The RFC 26 object, as {"scheme":"begin-time","value":"1795257930.5"}.
[[nodiscard]] nlohmann::json to_json(const Dependency& dependency);
/// Reads an RFC 26 object of a scheme that fq serves. Throws Error{invalid} `PATH: …`.
[[nodiscard]] Dependency dependency_from_json(const JsonAt& at);
/// Reads `attributes.system.dependencies`: an array of at least one such object.
[[nodiscard]] std::vector<Dependency> dependencies_from_json(const JsonAt& at);
/// Checks the form of the array whatever the schemes are: objects with string `scheme` and `value`, all
/// different; `string` and `fluid` with `type` and `scope`. Throws Error{invalid} `PATH: …`.
void check_dependencies(const JsonAt& at);

/// The description of the dependency's events: `after-success=ƒ2GMuTnf`, `begin-time=1552594348`,
/// `singleton`.
[[nodiscard]] std::string describe(const Dependency& dependency);
/// Reads a description, Flux's own `begin-time=1552594348.000` included. Throws Error{invalid}.
[[nodiscard]] Dependency parse_description(std::string_view text);

}  // namespace fq::document
