// Event logs as `flux job eventlog` prints them.
//
//   text   1795257930.916864 submit userid=0 urgency=16 flags=0 version=1
//   json   {"timestamp":1795257930.9168644,"name":"submit","context":{…}}

#pragma once

#include <string>
#include <string_view>

namespace fq::document {
struct Event;
}

namespace fq::cli {

enum class EventFormat { text, json };
/// raw: seconds since the epoch. iso: local time with zone. offset: seconds since the first event. human: the
/// minute, then the seconds since the event that opened it.
enum class EventTime { raw, iso, offset, human };

/// `text` or `json`. Throws Error{usage} with a near match.
[[nodiscard]] EventFormat parse_event_format(std::string_view text);
/// `raw`, `iso`, `offset` or `human` (also `reltime`). Throws Error{usage} with a near match.
[[nodiscard]] EventTime parse_event_time(std::string_view text);

/// What to say to who waits for an event that there was not: `did you mean 'start'?` where fq posts no event
/// of that name, but a similar one; else nothing.
[[nodiscard]] std::string event_hint(std::string_view name);

/// Prints the events of one log, given in their order.
class EventPrinter {
 public:
  EventPrinter(EventFormat format, EventTime time, bool color)
      : format_(format), time_(time), color_(color) {}

  /// Appends the event's line. The keys of known events come in the order of their RFC, others after them by
  /// name; values are JSON.
  void append(std::string& out, const document::Event& event);
  /// Passes an event over: offsets count from the log's first one all the same.
  void skip(const document::Event& event);

 private:
  void append_time(std::string& out, double timestamp);

  EventFormat format_;
  EventTime time_;
  bool color_;
  double first_ = 0;         ///< timestamp of the first event; 0: none yet
  double minute_start_ = 0;  ///< timestamp that the current minute was opened with
  long minute_ = 0;
};

}  // namespace fq::cli
