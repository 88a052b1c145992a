// The table `access` of a configuration: who runs the store beside its owner, and what users see of each
// other.
//
//   [access]   operators = ["ada", "@staff"]   users, and groups behind an @
//              private = true                  users see names and directories of their own jobs only

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/config/config_source.h"

namespace fq::document {

struct AccessConfig {
  std::vector<std::string> operators;
  bool is_private = false;

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
