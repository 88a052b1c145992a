// parse_json over any bytes: it refuses them exactly if nlohmann::json's own parser does, but for what nests
// too deep; else both give the same value, and the compact text of it is read back as the same.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "fuzz/support.h"

using fq::fuzz::require;
using nlohmann::json;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  bool too_deep = false;
  const auto value = fq::fuzz::read_or_refuse([&] {
    try {
      return fq::parse_json(text, "input");
    } catch (const fq::Error& error) {
      too_deep = std::string_view{error.what()}.find("nested more than") != std::string_view::npos;
      throw;
    }
  });
  if (too_deep) return 0;
  if (text.find('\0') != std::string_view::npos) {  // the reference takes it for the end of the text
    require(!value);
    return 0;
  }
  json reference;
  bool accepted = true;
  try {
    reference = json::parse(text);
  } catch (const json::exception&) {
    accepted = false;
  }
  require(value.has_value() == accepted);
  if (!value) return 0;
  require(value->type() == reference.type());
  require(value->dump() == reference.dump());
  require(fq::dump_json(fq::parse_json(fq::dump_json(*value), "copy")) == fq::dump_json(*value));
  return 0;
}
