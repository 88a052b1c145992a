#include "document/config/config_jobs.h"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "notation/fsd.h"
#include "notation/signal.h"

namespace fq::document {

using nlohmann::json;

namespace {

// What is stored of a table, by name: one list for writing and reading.
template <typename Table, typename Visit>
void visit_members(Table& table, Visit visit) {
  if constexpr (std::is_same_v<std::remove_const_t<Table>, ExecConfig>) {
    visit("kill_timeout", table.kill_timeout_s);
    visit("term_signal", table.term_signal);
    visit("kill_signal", table.kill_signal);
    visit("max_kill_count", table.max_kill_count);
  } else {
    visit("age_limit", table.age_limit_s);
    visit("num_limit", table.num_limit);
  }
}

template <typename Table>
std::string encode(const Table& table) {
  json record = json::object();
  visit_members(table, [&](const char* name, const auto& value) {
    if (value) record[name] = *value;
  });
  return record.empty() ? std::string{} : dump_json(record);
}

template <typename Table>
Table decode(std::string_view text, const char* what) {
  Table table;
  if (text.empty()) return table;
  const json document = parse_json(text, what);
  const JsonAt at{document, what};
  visit_members(table, [&]<typename T>(const char* name, std::optional<T>& value) {
    const auto stored = at.find(name);
    if (!stored) return;
    if constexpr (std::is_floating_point_v<T>) {
      value = stored->as_number();
    } else {
      constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
      constexpr std::int64_t kHigh = std::cmp_less(std::numeric_limits<T>::max(), kMost)
                                         ? static_cast<std::int64_t>(std::numeric_limits<T>::max())
                                         : kMost;
      value = static_cast<T>(stored->as_integer(0, kHigh));
    }
  });
  return table;
}

int as_signal(const ConfigAt& at) {
  return at.as_parsed([](const std::string& text) { return notation::parse_signal(text); });
}

}  // namespace

ExecConfig read_exec(const ConfigAt& root) {
  ExecConfig exec;
  const auto table = root.find("exec");
  if (!table) return exec;
  table->allow_only({"kill-signal", "kill-timeout", "max-kill-count", "term-signal"});
  if (const auto timeout = table->find("kill-timeout")) {
    exec.kill_timeout_s = timeout->as_duration();
    if (std::isinf(*exec.kill_timeout_s))
      throw timeout->fail("a job that does not end must be killed some time");
  }
  if (const auto signal = table->find("term-signal")) exec.term_signal = as_signal(*signal);
  if (const auto signal = table->find("kill-signal")) exec.kill_signal = as_signal(*signal);
  if (const auto count = table->find("max-kill-count")) {
    exec.max_kill_count =
        static_cast<std::uint32_t>(count->as_integer(1, std::numeric_limits<std::int32_t>::max()));
  }
  return exec;
}

RetentionConfig read_retention(const ConfigAt& root) {
  RetentionConfig retention;
  for (const std::string_view name : {"job-manager", "jobs"}) {
    const auto table = root.find(name);
    if (!table) continue;
    table->allow_only({"epilog", "housekeeping", "inactive-age-limit", "inactive-num-limit", "prolog"});
    if (const auto age = table->find("inactive-age-limit")) {
      const double seconds = age->as_duration();
      if (std::isfinite(seconds)) retention.age_limit_s = seconds;
    }
    if (const auto number = table->find("inactive-num-limit")) {
      retention.num_limit =
          static_cast<std::uint64_t>(number->as_integer(0, std::numeric_limits<std::int64_t>::max()));
    }
  }
  return retention;
}

std::string encode_exec(const ExecConfig& exec) {
  return encode(exec);
}
ExecConfig decode_exec(std::string_view text) {
  return decode<ExecConfig>(text, "exec configuration");
}

std::string encode_retention(const RetentionConfig& retention) {
  return encode(retention);
}
RetentionConfig decode_retention(std::string_view text) {
  return decode<RetentionConfig>(text, "jobs configuration");
}

}  // namespace fq::document
