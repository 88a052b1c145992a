// What a configuration has run around a job: its prolog, its epilog, and the housekeeping of its nodes when
// the job has given them back. Keys and meanings are those of Flux's tables `job-manager.prolog`,
// `job-manager.epilog` and `job-manager.housekeeping`; what is fq's own says so.
//
//   [job-manager.prolog]                    before the tasks; for all queues
//     command = ["/etc/fq/prolog", "-v"]    or one path; empty: none
//     timeout = "30m"                       from its start to the signal that asks it to end; "0": no limit
//     kill-timeout = "10s"                  from that signal to the first that kills
//     on-failure = "fail"                   or "requeue"; fq's own, of a prolog only
//     drain = true                          the nodes of a job that it failed for; fq's own
//   [job-manager.epilog]                    the same after the tasks
//   [job-manager.housekeeping]              the same after the job, on nodes that nobody has
//   [queues.NAME.prolog]                    key by key instead of the general one; a virtual queue has its
//   parent's

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "document/config/config_source.h"

namespace fq {
class JsonAt;
}

namespace fq::document {

enum class PerilogKind : std::uint8_t { prolog, epilog, housekeeping };
inline constexpr std::array kPerilogKinds{PerilogKind::prolog, PerilogKind::epilog,
                                          PerilogKind::housekeeping};

/// `prolog`, `epilog` or `housekeeping`: the name of the table, of the guest document with its output, and of
/// exceptions.
[[nodiscard]] std::string_view name(PerilogKind kind);

struct PerilogConfig {
  std::vector<std::string> command;  ///< the first names the program by its whole path; empty: nothing is run
  double timeout_s = 1800;           ///< 0: no limit
  double kill_timeout_s = 10;
  bool requeues = false;  ///< a job whose prolog failed is pending anew; else it has failed
  bool drains = true;     ///< the nodes of the job are drained when it fails

  friend bool operator==(const PerilogConfig&, const PerilogConfig&) = default;
};

/// Checks keys and values of one table by themselves. Throws Error{invalid}.
void check_perilog(const ConfigAt& at, PerilogKind kind, const ProgramCheck& program);

/// Throws Error{invalid} at `at` for a prolog that would requeue its job for ever, onto nodes that it does
/// not drain.
void check_agreement(const ConfigAt& at, const PerilogConfig& prolog);

/// What a table gives. REQUIRES that check_perilog accepts every table that was merged into it.
[[nodiscard]] PerilogConfig compile_perilog(const nlohmann::json& table);

/// The same as JSON, and read again.
[[nodiscard]] nlohmann::json encode_perilog(const PerilogConfig& config);
[[nodiscard]] PerilogConfig decode_perilog(const JsonAt& at);

}  // namespace fq::document
