#include "document/event/eventlog.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace fq::document {

using nlohmann::json;

namespace {

/// The earliest time that can be written: RFC 18 wants it greater than zero.
constexpr double kEarliest = 1e-6;

/// Parses the JSON of one line; errors name the column alone.
json parse_line(std::string_view line) {
  if (line.find_first_of("\r\n") != std::string_view::npos) {
    throw Error{Kind::invalid, "expected one event on one line"};
  }
  try {
    return parse_json(line, "");
  } catch (const Error& failure) {
    std::string_view message = failure.what();
    for (const std::string_view prefix : {": line 1, ", ": "}) {
      if (!message.starts_with(prefix)) continue;
      message.remove_prefix(prefix.size());
      break;
    }
    throw Error{Kind::invalid, std::string{message}};
  }
}

/// Reads one event; `line` has no newline at its end.
Event decode_line(std::string_view line) {
  json document = parse_line(line);
  Event event;
  const JsonAt root{document, ""};
  root.object();
  const JsonAt timestamp = root.at("timestamp");
  event.timestamp = timestamp.as_number();
  if (event.timestamp <= 0) throw timestamp.fail("expected a time greater than zero");
  const JsonAt name = root.at("name");
  event.name = name.as_string();
  if (event.name.empty()) throw name.fail("expected a name, got an empty string");
  if (const auto context = root.find("context")) context->object();

  auto& members = document.get_ref<json::object_t&>();
  if (const auto context = members.find("context"); context != members.end()) {
    event.context = std::move(context->second);
    members.erase(context);
  }
  if (members.size() > 2) {
    members.erase("timestamp");
    members.erase("name");
    event.extra = std::move(document);
  }
  return event;
}

}  // namespace

void append_event(std::string& out, const Event& event) {
  assert(std::isfinite(event.timestamp) && event.timestamp > 0);
  assert(event.context.is_object() || event.context.is_null());
  out += "{\"timestamp\":";
  append_timestamp(out, std::max(event.timestamp, kEarliest));
  out += ",\"name\":";
  append_json_string(out, event.name);
  if (!event.context.empty()) {
    out += ",\"context\":";
    append_json(out, event.context);
  }
  if (event.extra.is_object()) {
    for (const auto& [key, value] : event.extra.items()) {
      out += ',';
      append_json_string(out, key);
      out += ':';
      append_json(out, value);
    }
  }
  out += "}\n";
}

std::string encode_event(const Event& event) {
  std::string line;
  line.reserve(128);
  append_event(line, event);
  return line;
}

Event decode_event(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  try {
    return decode_line(line);
  } catch (const Error& failure) {
    throw failure.within("event");
  }
}

std::vector<Event> decode_eventlog(std::string_view text) {
  std::vector<Event> events;
  while (!text.empty()) {
    const std::size_t number = events.size() + 1;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      throw error(Kind::invalid, "eventlog: line {}: expected a newline after {}", number,
                  quote(text.size() > 40 ? text.substr(0, 40) : text));
    }
    try {
      events.push_back(decode_line(text.substr(0, end)));
    } catch (const Error& failure) {
      throw failure.within(fmt::format("eventlog: line {}", number));
    }
    text.remove_prefix(end + 1);
  }
  return events;
}

std::string_view whole_lines(std::string_view text) {
  return text.substr(0, text.rfind('\n') + 1);  // npos + 1 is 0
}

}  // namespace fq::document
