// What was administered, when and by whom: the events of the store's own log.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fq::request {

struct LoggedEvent {
  double timestamp = 0;  ///< seconds since the epoch
  std::string name;
  std::string context;  ///< JSON object text
};

struct LogReply {
  std::vector<LoggedEvent> events;  ///< by time
};

/// The last `most` (0: all) of those that were logged at `since` or later. Refused with Error{permission}
/// unless the caller is an operator, Error{invalid} for what is no time.
struct LogRequest {
  using Reply = LogReply;
  std::optional<std::string> since;  ///< as `document/jobspec/begin_time` reads it, by the store's time
  std::size_t most = 1000;
};

}  // namespace fq::request
