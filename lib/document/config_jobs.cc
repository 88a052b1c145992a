#include "document/config_jobs.h"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "notation/fsd.h"
#include "notation/signal.h"

namespace fq::document {

using nlohmann::json;

namespace {

std::string encode(const json& record) {
  return record.empty() ? std::string{} : dump_json(record);
}

}  // namespace

ExecConfig read_exec(const ConfigAt& root) {
  ExecConfig exec;
  const auto table = root.find("exec");
  if (!table) return exec;
  table->allow_only({"kill-timeout", "term-signal"});
  if (const auto timeout = table->find("kill-timeout")) {
    exec.kill_timeout_s = timeout->as_duration();
    if (std::isinf(*exec.kill_timeout_s)) throw timeout->fail("a job that does not end must be killed some time");
  }
  if (const auto signal = table->find("term-signal")) {
    exec.term_signal = signal->as_parsed([](const std::string& text) { return notation::parse_signal(text); });
  }
  return exec;
}

RetentionConfig read_retention(const ConfigAt& root) {
  RetentionConfig retention;
  const auto table = root.find("jobs");
  if (!table) return retention;
  table->allow_only({"inactive-age-limit", "inactive-num-limit"});
  if (const auto age = table->find("inactive-age-limit")) {
    const double seconds = age->as_duration();
    if (std::isfinite(seconds)) retention.age_limit_s = seconds;
  }
  if (const auto number = table->find("inactive-num-limit")) {
    retention.num_limit =
        static_cast<std::uint64_t>(number->as_integer(0, std::numeric_limits<std::int64_t>::max()));
  }
  return retention;
}

std::string encode_exec(const ExecConfig& exec) {
  json record = json::object();
  if (exec.kill_timeout_s) record["kill_timeout"] = *exec.kill_timeout_s;
  if (exec.term_signal) record["term_signal"] = *exec.term_signal;
  return encode(record);
}

ExecConfig decode_exec(std::string_view text) {
  ExecConfig exec;
  if (text.empty()) return exec;
  const json document = parse_json(text, "exec configuration");
  const JsonAt at{document, "exec configuration"};
  if (const auto value = at.find("kill_timeout")) exec.kill_timeout_s = value->as_number();
  if (const auto value = at.find("term_signal")) exec.term_signal = static_cast<int>(value->as_integer(1, 64));
  return exec;
}

std::string encode_retention(const RetentionConfig& retention) {
  json record = json::object();
  if (retention.age_limit_s) record["age_limit"] = *retention.age_limit_s;
  if (retention.num_limit) record["num_limit"] = *retention.num_limit;
  return encode(record);
}

RetentionConfig decode_retention(std::string_view text) {
  RetentionConfig retention;
  if (text.empty()) return retention;
  const json document = parse_json(text, "jobs configuration");
  const JsonAt at{document, "jobs configuration"};
  if (const auto value = at.find("age_limit")) retention.age_limit_s = value->as_number();
  if (const auto value = at.find("num_limit")) {
    retention.num_limit =
        static_cast<std::uint64_t>(value->as_integer(0, std::numeric_limits<std::int64_t>::max()));
  }
  return retention;
}

}  // namespace fq::document
