#include "records/store_time.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

#include "records/instance.h"
#include "records/keys.h"

namespace fq::records {

using store::Family;

namespace {

// The two clocks are read one after the other, and other processes may run in between. A clock that differs
// by no more was not set.
constexpr std::int64_t kSetForward_us = 10'000;
constexpr std::int64_t kSetBack_us = 1'000'000;

struct Anchor {
  std::int64_t offset = 0;
  std::string boot;
};

// One that cannot be read is none: the next writer anchors anew.
std::optional<Anchor> read_anchor(const store::Reader& reader) {
  const auto text = reader.get(Family::instance, key::kClock);
  if (!text) return std::nullopt;
  Anchor anchor;
  const char* end = text->data() + text->size();
  const auto [at, failure] = std::from_chars(text->data(), end, anchor.offset);
  if (failure != std::errc{} || at == end || *at != ' ') return std::nullopt;
  anchor.boot.assign(at + 1, end);
  return anchor;
}

}  // namespace

double StoreTime::boot_time_of(double time) const {
  return (static_cast<double>(to_microseconds(time)) - static_cast<double>(offset)) / 1e6;
}

StoreTime store_time(const store::Reader& reader, const Clock& clock) {
  // The wall clock first: what comes between makes it look late, which changes nothing.
  const auto wall = static_cast<std::int64_t>(to_microseconds(clock.now()));
  StoreTime time;
  time.boot_time = clock.boot_time();
  const auto boot = static_cast<std::int64_t>(to_microseconds(time.boot_time));
  const auto anchor = read_anchor(reader);
  const std::int64_t continued = anchor ? anchor->offset + boot : 0;
  const bool set_forward = wall - continued > kSetForward_us;
  const bool set_back = continued - wall > kSetBack_us;
  // An anchor that agrees with the clock holds, of whatever boot it is.
  if (anchor && !set_forward && (!set_back || anchor->boot == boot_id())) {
    time.offset = anchor->offset;
    time.now = static_cast<double>(continued) / 1e6;
    if (set_back) time.lead = static_cast<double>(continued - wall) / 1e6;
    return time;
  }
  const auto last = static_cast<std::int64_t>(to_microseconds(read_sequence(reader).last_time));
  const std::int64_t now = std::max(last, wall);
  time.offset = now - boot;
  time.now = static_cast<double>(now) / 1e6;
  if (now - wall > kSetBack_us) time.lead = static_cast<double>(now - wall) / 1e6;
  time.new_anchor = fmt::format("{} {}", time.offset, boot_id());
  return time;
}

void write_anchor(store::Transaction& transaction, const StoreTime& time) {
  if (time.new_anchor) transaction.put(Family::instance, key::kClock, *time.new_anchor);
}

}  // namespace fq::records
