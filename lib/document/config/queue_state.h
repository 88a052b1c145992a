// What an administrator made of a queue (RFC 33).

#pragma once

#include <string>

namespace fq::document {

/// Whether a queue takes jobs and lets them start, and why not.
struct QueueState {
  bool enabled = true;
  bool started = true;
  std::string disable_reason;
  std::string stop_reason;
  std::string suspended;  ///< why its scheduler does not serve it; empty: it does

  friend bool operator==(const QueueState&, const QueueState&) = default;
};

}  // namespace fq::document
