#include "cli/follow/event_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/frame/terminal.h"
#include "document/event/eventlog.h"

namespace fq::cli {
namespace {

using nlohmann::json;

/// The order of an event's keys, as RFC 21, RFC 24 and RFC 32 list them.
struct KeyOrder {
  std::string_view event;
  std::array<std::string_view, 7> keys;
};
constexpr std::array kKeyOrders{
    KeyOrder{"submit", {"userid", "urgency", "flags", "version"}},
    KeyOrder{"exception", {"type", "severity", "note", "userid"}},
    KeyOrder{"release", {"ranks", "final"}},
    KeyOrder{"urgency", {"userid", "urgency"}},
    KeyOrder{"shell.init", {"service", "leader-rank", "size"}},
    KeyOrder{"shell.task-exit", {"localid", "rank", "state", "pid", "wait_status", "signaled", "exitcode"}},
    KeyOrder{"shell-exit", {"rank", "wait_status"}},
    KeyOrder{"header", {"version", "encoding", "count", "options"}},
    KeyOrder{"data", {"stream", "rank", "encoding", "repeat", "data", "eof"}},
    KeyOrder{"redirect", {"stream", "rank", "path"}},
    KeyOrder{"log", {"rank", "level", "message", "component", "file", "line"}},
};

std::span<const std::string_view> key_order(std::string_view event) {
  for (const KeyOrder& order : kKeyOrders) {
    if (order.event == event) return order.keys;
  }
  return {};
}

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// The local time of a timestamp; false where the calendar does not reach.
bool local_time(double timestamp, std::tm& fields) {
  if (!(std::fabs(timestamp) < 1e15)) return false;
  const auto seconds = static_cast<std::time_t>(std::floor(timestamp));
  return ::localtime_r(&seconds, &fields) != nullptr;
}

/// The offset from UTC as ISO 8601 has it: `Z`, `+02:00`.
std::string zone(const std::tm& fields) {
  const long minutes = fields.tm_gmtoff / 60;
  if (minutes == 0) return "Z";
  return fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', std::labs(minutes) / 60,
                     std::labs(minutes) % 60);
}

std::string iso_time(double timestamp) {
  // The raw form is cut in two, so that both forms round alike.
  std::string raw = fmt::format("{:.6f}", timestamp);
  const std::size_t point = raw.find('.');
  const auto seconds = parse_u64(std::string_view{raw}.substr(0, point));
  std::tm fields{};
  if (!seconds || !local_time(static_cast<double>(*seconds), fields)) return raw;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}", fields.tm_year + 1900, fields.tm_mon + 1,
                     fields.tm_mday, fields.tm_hour, fields.tm_min, fields.tm_sec, raw.substr(point),
                     zone(fields));
}

}  // namespace

EventFormat parse_event_format(std::string_view text) {
  if (text == "text") return EventFormat::text;
  if (text == "json") return EventFormat::json;
  static const std::array<std::string, 2> kNames{"text", "json"};
  throw Error{Kind::usage, fmt::format("expected text or json, got {}", quote(text)),
              did_you_mean(text, kNames)};
}

EventTime parse_event_time(std::string_view text) {
  if (text == "raw") return EventTime::raw;
  if (text == "iso") return EventTime::iso;
  if (text == "offset") return EventTime::offset;
  if (text == "human" || text == "reltime") return EventTime::human;
  static const std::array<std::string, 4> kNames{"raw", "iso", "offset", "human"};
  throw Error{Kind::usage, fmt::format("expected raw, iso, offset or human, got {}", quote(text)),
              did_you_mean(text, kNames)};
}

std::string event_hint(std::string_view name) {
  static const std::vector<std::string> kKnown{"submit",
                                               "validate",
                                               "dependency-add",
                                               "dependency-remove",
                                               "depend",
                                               "priority",
                                               "urgency",
                                               "jobspec-update",
                                               "resource-update",
                                               "memo",
                                               "set-flags",
                                               "alloc",
                                               "prolog-start",
                                               "prolog-finish",
                                               "start",
                                               "exception",
                                               "finish",
                                               "epilog-start",
                                               "epilog-finish",
                                               "release",
                                               "free",
                                               "clean",
                                               "init",
                                               "shell-restart",
                                               "starting",
                                               "shell.init",
                                               "shell.start",
                                               "shell.task-exit",
                                               "shell-exit",
                                               "complete",
                                               "done",
                                               "header",
                                               "data",
                                               "redirect"};
  if (std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) return {};
  return did_you_mean(name, kKnown);
}

void EventPrinter::append_time(std::string& out, double timestamp) {
  bool new_minute = false;
  std::string text;
  switch (time_) {
    case EventTime::raw:
      text = fmt::format("{:.6f}", timestamp);
      break;
    case EventTime::iso:
      text = iso_time(timestamp);
      break;
    case EventTime::offset:
      if (first_ == 0) first_ = timestamp;
      text = fmt::format("{:.6f}", timestamp - first_);
      break;
    case EventTime::human: {
      std::tm fields{};
      const auto minute = static_cast<long>(std::floor(timestamp / 60));
      new_minute = (minute != minute_ || minute_start_ == 0) && local_time(timestamp, fields);
      if (new_minute) {
        minute_ = minute;
        minute_start_ = timestamp;
        text = fmt::format("[{}{:02} {:02}:{:02}]", kMonths.at(static_cast<std::size_t>(fields.tm_mon)),
                           fields.tm_mday, fields.tm_hour, fields.tm_min);
      } else {
        text = fmt::format("[{:>+11.6f}]", timestamp - minute_start_);
      }
    }
  }
  if (color_) out += new_minute ? style::kBoldGreen : style::kGreen;
  out += text;
  if (color_) out += style::kReset;
}

void EventPrinter::skip(const document::Event& event) {
  if (first_ == 0) first_ = event.timestamp;
}

void EventPrinter::append(std::string& out, const document::Event& event) {
  if (format_ == EventFormat::json) return document::append_event(out, event);
  append_time(out, event.timestamp);
  out += ' ';
  const auto colored = [&](std::string_view color, auto append_text) {
    if (color_) out += color;
    append_text();
    if (color_) out += style::kReset;
  };
  colored(event.name == "exception" ? style::kBoldRed : style::kYellow,
          [&] { out += printable(event.name); });
  const auto append_member = [&](const std::string& key, const json& value) {
    out += ' ';
    colored(style::kBlue, [&] { out += printable(key); });
    out += '=';
    colored(value.is_number() ? style::kGray : style::kMagenta, [&] { append_json(out, value); });
  };
  if (event.context.is_object()) {
    const auto order = key_order(event.name);
    for (const std::string_view key : order) {
      const auto member = event.context.find(key);
      if (!key.empty() && member != event.context.end()) append_member(member.key(), *member);
    }
    for (const auto& [key, value] : event.context.items()) {
      if (std::find(order.begin(), order.end(), key) == order.end()) append_member(key, value);
    }
  }
  out += '\n';
}

}  // namespace fq::cli
