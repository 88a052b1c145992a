// Nodes that are kept for some users or queues, or for maintenance, in a time that is set beforehand.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "notation/idset.h"

namespace fq::document {

struct AdvanceReservation {
  std::uint64_t number = 0;  ///< what it is called by
  notation::Idset ranks;
  double start = 0, end = 0;  ///< seconds since the epoch
  /// Whose jobs may use it; without any it is for maintenance, and nobody's.
  std::vector<std::string> users, groups, queues;
  std::vector<std::uint32_t> userids;  ///< of the users, and of those in the groups when it was made
  bool flex = false;                   ///< others may use it, too, as long as they end before it does
  std::string reason;                  ///< empty: none was given
  std::uint32_t userid = 0;            ///< who made it

  /// Whether a job of this user in this queue may use the nodes.
  [[nodiscard]] bool admits(std::uint32_t user, std::string_view queue) const;
  /// Whether a job of somebody else that runs from `from` until `until` is in its way.
  [[nodiscard]] bool excludes(double from, double until) const;
};

/// As a JSON object without the number; and read again. Throws Error{invalid}.
[[nodiscard]] std::string encode_reservation(const AdvanceReservation& reservation);
[[nodiscard]] AdvanceReservation decode_reservation(std::uint64_t number, std::string_view text);

}  // namespace fq::document
