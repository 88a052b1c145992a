#include "base/json_reader.h"

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

namespace fq {

using nlohmann::json;

namespace {

// Takes RapidJSON's events and builds the value. A function that returns false ends the reading.
class Builder {
 public:
  explicit Builder(std::size_t max_depth) : max_depth_(max_depth) {}

  [[nodiscard]] json take() { return std::move(root_); }

  bool Null() { return put(nullptr); }
  bool Bool(bool value) { return put(value); }
  bool Int(int value) { return put(std::int64_t{value}); }
  bool Uint(unsigned value) { return put(std::uint64_t{value}); }
  bool Int64(std::int64_t value) { return put(value); }
  bool Uint64(std::uint64_t value) { return put(value); }
  bool Double(double value) { return put(value); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
  bool String(const char* text, rapidjson::SizeType size, bool) { return put(std::string(text, size)); }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    json::object_t& object = *open_.back()->get_ptr<json::object_t*>();
    // Canonical documents have their keys in order.
    const auto at = object.try_emplace(object.end(), std::string(text, size));
    member_ = &at->second;
    return true;
  }
  bool StartObject() { return open(json::object()); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool StartArray() { return open(json::array()); }
  bool EndArray(rapidjson::SizeType) { return close(); }

 private:
  // Where the next value belongs.
  json& place() {
    if (open_.empty()) return root_;
    if (open_.back()->is_object()) return *member_;
    return open_.back()->get_ptr<json::array_t*>()->emplace_back();
  }
  template <typename Value>
  bool put(Value&& value) {
    place() = std::forward<Value>(value);
    return true;
  }
  bool open(json&& empty) {
    if (open_.size() == max_depth_) return false;
    json& at = place();
    at = std::move(empty);
    open_.push_back(&at);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::size_t max_depth_;
  json root_;
  std::vector<json*>
      open_;  ///< the arrays and objects that are not closed; each grows only while it is the last
  json* member_ = nullptr;  ///< of the last key
};

}  // namespace

std::optional<json> read_json(std::string_view text, std::size_t max_depth) {
  // RapidJSON takes a NUL for the end.
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  constexpr unsigned kFlags = rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag |
                              rapidjson::kParseIterativeFlag;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  Builder builder(max_depth);
  if (reader.Parse<kFlags>(stream, builder).IsError()) return std::nullopt;
  return builder.take();
}

}  // namespace fq
