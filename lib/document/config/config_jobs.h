// The tables `exec` and `jobs` of a configuration: how jobs are ended, and how long they are kept after it.
// Keys and meanings are those of Flux's tables `exec` and `job-manager`.
//
//   [exec]   kill-timeout = "5s"            from the signal that asks tasks to end to the first that kills
//            term-signal = "SIGTERM"        the signal that asks
//            kill-signal = "SIGKILL"        the signal that kills
//            max-kill-count = 8             how often it is sent before the nodes are drained instead
//   [jobs]   inactive-age-limit = "30d"     jobs that ended longer ago are purged
//            inactive-num-limit = 10000     and the oldest beyond so many

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "document/config/config_source.h"

namespace fq::document {

struct ExecConfig {
  std::optional<double> kill_timeout_s;
  std::optional<int> term_signal, kill_signal;
  std::optional<std::uint32_t> max_kill_count;

  friend bool operator==(const ExecConfig&, const ExecConfig&) = default;
};

struct RetentionConfig {
  std::optional<double> age_limit_s;
  std::optional<std::uint64_t> num_limit;

  [[nodiscard]] bool limits() const { return age_limit_s || num_limit; }
  friend bool operator==(const RetentionConfig&, const RetentionConfig&) = default;
};

/// The tables of a configuration. Throw Error{invalid}.
[[nodiscard]] ExecConfig read_exec(const ConfigAt& root);
[[nodiscard]] RetentionConfig read_retention(const ConfigAt& root);

/// A table as JSON text, empty where it sets nothing; and read again.
[[nodiscard]] std::string encode_exec(const ExecConfig& exec);
[[nodiscard]] ExecConfig decode_exec(std::string_view text);
[[nodiscard]] std::string encode_retention(const RetentionConfig& retention);
[[nodiscard]] RetentionConfig decode_retention(std::string_view text);

}  // namespace fq::document
