#include "base/clock.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <ctime>

#include "base/file.h"
#include "base/text.h"

namespace fq {
namespace {

double read_clock(clockid_t id) {
  timespec t{};
  ::clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) + std::floor(static_cast<double>(t.tv_nsec) / 1e3) / 1e6;
}

}  // namespace

double SystemClock::now() const {
  return read_clock(CLOCK_REALTIME);
}
double SystemClock::boot_time() const {
  return read_clock(CLOCK_BOOTTIME);
}

double ContinuedClock::now() const {
  return std::floor((time_ + (clock_.boot_time() - boot_time_)) * 1e6) / 1e6;
}

void pause_for(double seconds) {
  const double whole = std::floor(seconds);
  const timespec pause{static_cast<time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
  ::nanosleep(&pause, nullptr);
}

void append_timestamp(std::string& out, double timestamp) {
  constexpr double kWholeSeconds = 9007199254740992.0;  // from 2^53 on a double has no fraction
  std::array<char, 320> digits;                         // the largest double has 309
  char* end = digits.data();
  if (timestamp >= kWholeSeconds) {
    end = std::to_chars(end, end + digits.size(), timestamp, std::chars_format::fixed).ptr;
    out.append(digits.data(), end);
    return;
  }
  auto seconds = static_cast<std::uint64_t>(timestamp);
  auto micros = static_cast<std::uint64_t>(std::llround((timestamp - static_cast<double>(seconds)) * 1e6));
  if (micros == 1'000'000) {
    ++seconds;
    micros = 0;
  }
  end = std::to_chars(end, end + digits.size(), seconds).ptr;
  if (micros != 0) *end++ = '.';
  for (std::uint64_t unit = 100'000; micros != 0; unit /= 10) {
    *end++ = static_cast<char>('0' + micros / unit);
    micros %= unit;
  }
  out.append(digits.data(), end);
}

std::string format_timestamp(double timestamp) {
  std::string text;
  append_timestamp(text, timestamp);
  return text;
}

std::string boot_id() {
  return std::string{trim(read_file_if_exists("/proc/sys/kernel/random/boot_id").value_or(""))};
}

std::string machine_id() {
  return std::string{trim(read_file_if_exists("/etc/machine-id").value_or(""))};
}

}  // namespace fq
