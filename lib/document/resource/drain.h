// Nodes that an administrator has taken out of use: they get no new jobs.

#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace fq::document {

struct Drain {
  std::string reason;  ///< empty: none was given
  double time = 0;     ///< since when, seconds since the epoch
  std::uint32_t userid = 0;

  friend bool operator==(const Drain&, const Drain&) = default;
};

/// By rank.
using Drains = std::map<std::uint32_t, Drain>;

}  // namespace fq::document
