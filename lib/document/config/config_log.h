// The table `log` of a configuration: how much is kept of what was administered.
//
//   [log]   max-bytes = 1048576     the oldest events beyond that are dropped

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "document/config/config_source.h"

namespace fq::document {

struct LogConfig {
  static constexpr std::uint64_t kDefaultMaxBytes = 1U << 20U;
  std::optional<std::uint64_t> max_bytes;

  friend bool operator==(const LogConfig&, const LogConfig&) = default;
};

/// The table of a configuration. Throws Error{invalid}.
[[nodiscard]] LogConfig read_log(const ConfigAt& root);

/// The table as JSON text, empty where it sets nothing; and read again.
[[nodiscard]] std::string encode_log(const LogConfig& log);
[[nodiscard]] LogConfig decode_log(std::string_view text);

}  // namespace fq::document
