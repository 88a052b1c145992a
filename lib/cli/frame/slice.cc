#include "cli/frame/slice.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace fq::cli {
namespace {

// Larger numbers select what the largest do.
constexpr std::int64_t kLargest = INT64_C(1) << 40;

std::int64_t parse_number(std::string_view text, std::string_view whole) {
  const bool negative = text.starts_with('-');
  const auto number = parse_u64(negative ? text.substr(1) : text);
  if (!number) {
    throw error(Kind::invalid, "{} is not a slice: expected [START:STOP:STEP], each optional", quote(whole));
  }
  const auto bounded = static_cast<std::int64_t>(std::min<std::uint64_t>(*number, kLargest));
  return negative ? -bounded : bounded;
}

}  // namespace

Slice Slice::parse(std::string_view text) {
  const std::string_view whole = text;
  const bool bracketed = text.size() >= 2 && text.front() == '[' && text.back() == ']';
  const auto parts = split(bracketed ? text.substr(1, text.size() - 2) : std::string_view{}, ':');
  if (!bracketed || parts.size() < 2 || parts.size() > 3) static_cast<void>(parse_number("", whole));
  Slice slice;
  if (!trim(parts[0]).empty()) slice.start = parse_number(trim(parts[0]), whole);
  if (!trim(parts[1]).empty()) slice.stop = parse_number(trim(parts[1]), whole);
  if (parts.size() == 3 && !trim(parts[2]).empty()) slice.step = parse_number(trim(parts[2]), whole);
  if (slice.step == 0) throw error(Kind::invalid, "{}: the step of a slice cannot be 0", quote(whole));
  return slice;
}

std::vector<std::size_t> Slice::indexes(std::size_t size) const {
  const auto n = static_cast<std::int64_t>(size);
  const bool forward = step > 0;
  // Where a part is left out the slice goes over all of the list, in its direction.
  const auto bound = [&](std::optional<std::int64_t> part, std::int64_t otherwise) {
    if (!part) return otherwise;
    const std::int64_t at = *part < 0 ? *part + n : *part;
    return forward ? std::clamp(at, std::int64_t{0}, n) : std::clamp(at, std::int64_t{-1}, n - 1);
  };
  const std::int64_t first = bound(start, forward ? 0 : n - 1);
  const std::int64_t end = bound(stop, forward ? n : -1);
  std::vector<std::size_t> selected;
  for (std::int64_t at = first; forward ? at < end : at > end; at += step) {
    selected.push_back(static_cast<std::size_t>(at));
  }
  return selected;
}

std::optional<std::size_t> Slice::needs() const {
  const bool decided = step > 0 && stop && *stop >= 0 && start.value_or(0) >= 0;
  return decided ? std::optional{static_cast<std::size_t>(*stop)} : std::nullopt;
}

}  // namespace fq::cli
