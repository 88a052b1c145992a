// The table `access` of a configuration: who runs the store beside its owner, and what users see of each
// other.
//
//   [access]   operators = ["ada", "@staff"]   users, and groups behind an @
//              private = true                  users see names and directories of their own jobs only
//   [access.shares]                            of each user of a store that users share; 0: no limit
//              pending-jobs = 100000           bytes = 4294967296         connections = 64
//              processor-time = "5m"           patience = "60s"           disk-reserve = 268435456

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/config/config_source.h"

namespace fq::document {

/// What one user may have of a store that users share. The owner and operators have what they like.
struct Shares {
  std::uint64_t pending_jobs = 100'000;
  std::uint64_t bytes = std::uint64_t{4} << 30U;  ///< of the documents and files of the user's jobs
  std::uint64_t connections = 64;                 ///< answered at once; others wait
  double processor_time_s = 300;                  ///< of one look into the store, or change of it
  double patience_s = 60;                         ///< so long one more waits, and a request is awaited
  std::uint64_t disk_reserve = std::uint64_t{256} << 20U;  ///< bytes that no submission takes of the disk

  friend bool operator==(const Shares&, const Shares&) = default;
};

/// So many connections each user has, whatever is configured, unless all are limited to none.
inline constexpr std::uint64_t kLeastConnections = 8;

struct AccessConfig {
  std::vector<std::string> operators;
  bool is_private = false;
  Shares shares;

  friend bool operator==(const AccessConfig&, const AccessConfig&) = default;
};

/// Stands in front of the name of a group.
inline constexpr char kGroupMark = '@';

/// The table of a configuration. Throws Error{invalid}.
[[nodiscard]] AccessConfig read_access(const ConfigAt& root);

/// The table as JSON text, empty where it sets nothing; and read again.
[[nodiscard]] std::string encode_access(const AccessConfig& access);
[[nodiscard]] AccessConfig decode_access(std::string_view text);

}  // namespace fq::document
