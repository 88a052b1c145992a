#include "sim/trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "base/text.h"

namespace fq::sim {
namespace {

constexpr std::size_t kFields = 18;
using Fields = std::array<double, kFields>;

std::optional<double> parse_number(std::string_view word) {
  double value = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failure != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

class Reader {
 public:
  Trace read(std::string_view text) {
    std::size_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
      ++number;
      if (const std::string wrong = take(line); !wrong.empty())
        trace_.damaged.push_back(fmt::format("line {}: {}", number, wrong));
    }
    std::stable_sort(trace_.jobs.begin(), trace_.jobs.end(),
                     [](const TraceJob& a, const TraceJob& b) { return a.submit < b.submit; });
    return std::move(trace_);
  }

 private:
  // What is wrong with a line; empty: nothing.
  std::string take(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return {};
    if (words.front().front() == ';') {
      header(line);
      return {};
    }
    if (words.size() != kFields) return fmt::format("expected {} numbers, got {}", kFields, words.size());
    Fields fields{};
    for (std::size_t i = 0; i < kFields; ++i) {
      const auto value = parse_number(words[i]);
      if (!value) return fmt::format("expected a number, got {}", quote(words[i]));
      fields[i] = *value;
    }
    return job(fields);
  }

  std::string job(const Fields& fields) {
    constexpr double kMost = 1e15;
    const double id = fields[0], submit = fields[1], runtime = fields[3];
    const double processors = fields[7] > 0 ? fields[7] : fields[4];
    if (id < 1 || id > kMost || id != std::floor(id)) return fmt::format("{} is no job number", id);
    if (submit < 0 || submit > kMost) return fmt::format("{} is no time of submission", submit);
    if (runtime > kMost || fields[8] > kMost) return "a time is too large";
    if (runtime < 0 || processors < 1) {
      ++trace_.incomplete;
      return {};
    }
    if (processors > std::numeric_limits<std::uint32_t>::max())
      return "the number of processors is too large";
    if (!ids_.insert(static_cast<std::uint64_t>(id)).second)
      return fmt::format("job {} is there already", id);
    TraceJob job;
    job.id = static_cast<std::uint64_t>(id);
    job.submit = submit;
    job.limit = std::max(fields[8], 0.0);
    job.runtime = job.limit > 0 ? std::min(runtime, job.limit) : runtime;
    job.processors = static_cast<std::uint32_t>(processors);
    job.user = static_cast<std::int64_t>(fields[11]);
    job.queue = static_cast<std::int64_t>(fields[14]);
    trace_.jobs.push_back(job);
    return {};
  }

  void header(std::string_view line) {
    const auto value = [&](std::string_view name) -> std::uint64_t {
      const std::size_t at = line.find(name);
      if (at == std::string_view::npos) return 0;
      const auto words = words_of(line.substr(at + name.size()));
      return words.empty() ? 0 : parse_u64(words.front()).value_or(0);
    };
    if (const std::uint64_t nodes = value("MaxNodes:")) trace_.max_nodes = nodes;
    if (const std::uint64_t processors = value("MaxProcs:")) trace_.max_processors = processors;
  }

  Trace trace_;
  std::set<std::uint64_t> ids_;
};

}  // namespace

Trace read_trace(std::string_view text) {
  return Reader{}.read(text);
}

}  // namespace fq::sim
