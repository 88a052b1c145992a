#include "base/json_reader.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

namespace fq {

using nlohmann::json;

namespace {

// What a value takes of memory, with what the heap adds: its place in an array that grows by doubling, or in
// an object with its key; and what it points to. Texts of a few bytes are in the string itself.
constexpr std::size_t kElementBytes = 32;
constexpr std::size_t kMemberBytes = 96;
constexpr std::size_t kStringBytes = 48;
constexpr std::size_t kContainerBytes = 64;
constexpr std::size_t kShortText = 15;
constexpr std::size_t kHeapBytes = 16;

std::size_t bytes_of_text(std::size_t size) {
  return size <= kShortText ? 0 : size + kHeapBytes;
}

// Takes RapidJSON's events and builds the value. A function that returns false ends the reading.
class Builder {
 public:
  Builder(std::size_t max_depth, std::size_t max_bytes) : max_depth_(max_depth), bytes_left_(max_bytes) {}

  [[nodiscard]] json take() { return std::move(root_); }
  /// The key that ended the reading because its object has it already.
  [[nodiscard]] const std::optional<std::string>& duplicate() const { return duplicate_; }
  /// Whether the reading was ended for what the value takes of memory.
  [[nodiscard]] bool too_large() const { return too_large_; }

  bool Null() { return put(nullptr); }
  bool Bool(bool value) { return put(value); }
  // Numbers come as text: RapidJSON's own conversion is undefined for some zeros, as 0e55.
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view number(text, size);
    if (number.find_first_of(".eE") == std::string_view::npos) {
      // An integer that no 64 bits hold is a real number.
      const bool fits =
          number.front() == '-' ? convert<std::int64_t>(number) : convert<std::uint64_t>(number);
      if (fits) return true;
    }
    return convert<double>(number) || put_near_zero(number);
  }
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return take_bytes(kStringBytes + bytes_of_text(size)) && put(std::string(text, size));
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (!take_bytes(kMemberBytes + bytes_of_text(size))) return false;
    json::object_t& object = *open_.back()->get_ptr<json::object_t*>();
    // Canonical documents have their keys in order.
    const std::size_t keys = object.size();
    const auto at = object.try_emplace(object.end(), std::string(text, size));
    member_ = &at->second;
    if (object.size() > keys) return true;
    duplicate_ = std::string(text, size);
    return false;
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
  // Puts the number if the type can hold it.
  template <typename Number>
  bool convert(std::string_view text) {
    Number number{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc{} && end == text.data() + text.size() && put(number);
  }
  // A number too near zero for from_chars, which nlohmann takes for 0; one too large is none.
  bool put_near_zero(std::string_view text) {
    json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
    return value.is_number_float() && put(std::move(value));
  }
  template <typename Value>
  bool put(Value&& value) {
    if (!take_bytes(kElementBytes)) return false;
    place() = std::forward<Value>(value);
    return true;
  }
  // False where so much is not left.
  bool take_bytes(std::size_t bytes) {
    too_large_ = bytes > bytes_left_;
    if (!too_large_) bytes_left_ -= bytes;
    return !too_large_;
  }
  bool open(json&& empty) {
    if (open_.size() == max_depth_ || !take_bytes(kElementBytes + kContainerBytes)) return false;
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
  std::size_t bytes_left_;
  bool too_large_ = false;
  json root_;
  std::vector<json*>
      open_;  ///< the arrays and objects that are not closed; each grows only while it is the last
  json* member_ = nullptr;  ///< of the last key
  std::optional<std::string> duplicate_;
};

// The quote that opens the string whose closing quote stands before `end`: within it, each quote has an odd
// number of backslashes before it.
std::size_t opening_quote(std::string_view text, std::size_t end) {
  for (std::size_t at = end - 1; at-- > 0;) {
    if (text[at] != '"') continue;
    std::size_t slashes = 0;
    while (slashes < at && text[at - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return at;
  }
  return 0;
}

}  // namespace

std::optional<json> read_json(std::string_view text, std::size_t max_depth, std::size_t max_bytes,
                              UnreadJson* why) {
  // RapidJSON takes a NUL for the end.
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  constexpr unsigned kFlags = rapidjson::kParseValidateEncodingFlag | rapidjson::kParseNumbersAsStringsFlag |
                              rapidjson::kParseIterativeFlag;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  Builder builder(max_depth, max_bytes);
  if (!reader.Parse<kFlags>(stream, builder).IsError()) return builder.take();
  if (why == nullptr) return std::nullopt;
  why->too_large = builder.too_large();
  if (builder.duplicate())
    why->duplicate = DuplicateKey{*builder.duplicate(), opening_quote(text, stream.Tell())};
  return std::nullopt;
}

}  // namespace fq
