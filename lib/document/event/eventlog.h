// Event logs: one JSON object a line, appended whole (RFC 18).
//
//   {"timestamp":1552593348.073045,"name":"submit","context":{"urgency":16}}\n
//
// An event has a timestamp (seconds since the epoch, greater than zero), a name and, optionally, a context
// object. Keys that RFC 18 does not know are kept and written back; the meaning of names is the reader's.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace fq::document {

struct Event {
  double timestamp = 0;    ///< seconds since the Unix epoch, > 0
  std::string name;        ///< not empty
  nlohmann::json context;  ///< an object, or null when the event has none
  nlohmann::json extra;    ///< an object of the keys that RFC 18 does not name, or null when there are none

  friend bool operator==(const Event&, const Event&) = default;
};

/// The event as one line with its newline: timestamp, name, context, then the other keys. The timestamp is
/// rounded to microseconds and printed without trailing zeros; an empty context is left out.
/// REQUIRES a finite timestamp greater than zero and a context that is an object or null.
[[nodiscard]] std::string encode_event(const Event& event);
/// Appends the same line to `out`.
void append_event(std::string& out, const Event& event);

/// The event on one line, with or without its newline. Throws Error{invalid} `event: …`.
[[nodiscard]] Event decode_event(std::string_view line);
/// Every event of a log. Each line must end with a newline, the last one too; an empty text has no events.
/// Throws Error{invalid} `eventlog: line N: …`.
[[nodiscard]] std::vector<Event> decode_eventlog(std::string_view text);
/// The start of `text` up to its last newline: what a writer that died in the middle of a line left whole.
[[nodiscard]] std::string_view whole_lines(std::string_view text);

}  // namespace fq::document
