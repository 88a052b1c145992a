#include "document/config/config_log.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace fq::document {

namespace {

// Less holds no event of every kind.
constexpr std::int64_t kLeastLogBytes = 4096;

}  // namespace

LogConfig read_log(const ConfigAt& root) {
  LogConfig log;
  const auto table = root.find("log");
  if (!table) return log;
  table->allow_only({"max-bytes"});
  if (const auto bytes = table->find("max-bytes")) {
    log.max_bytes = static_cast<std::uint64_t>(
        bytes->as_integer(kLeastLogBytes, std::numeric_limits<std::int32_t>::max()));
  }
  return log;
}

std::string encode_log(const LogConfig& log) {
  return log.max_bytes ? dump_json({{"max_bytes", *log.max_bytes}}) : std::string{};
}

LogConfig decode_log(std::string_view text) {
  LogConfig log;
  if (text.empty()) return log;
  const nlohmann::json document = parse_json(text, "log configuration");
  log.max_bytes =
      static_cast<std::uint64_t>(JsonAt{document, "log configuration"}
                                     .at("max_bytes")
                                     .as_integer(kLeastLogBytes, std::numeric_limits<std::int32_t>::max()));
  return log;
}

}  // namespace fq::document
