#include "base/base64.h"

#include <array>
#include <cstdint>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace fq {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNotInAlphabet = 0xff;

constexpr std::array<std::uint8_t, 256> kValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNotInAlphabet);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < have ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= have ? kAlphabet[bits >> (18 - 6 * k) & 0x3f] : '=';
    }
  }
  return text;
}

std::string decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    throw error(Kind::invalid, "base64: expected a multiple of 4 characters, got {}", text.size());
  }
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  const std::size_t length = text.size() - padding;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(text[i])];
    if (value == kNotInAlphabet) {
      throw error(Kind::invalid, "base64: character {}: {} is not of its alphabet", i + 1,
                  quote(text.substr(i, 1)));
    }
    bits = bits << 6 | value;
    if (i % 4 == 0) continue;
    const unsigned spare = 6 - 2 * static_cast<unsigned>(i % 4);  // bits that belong to the byte after
    bytes += static_cast<char>(bits >> spare & 0xff);
    if (i + 1 == length && (bits & ((1U << spare) - 1)) != 0) {
      throw error(Kind::invalid, "base64: character {}: its last bits must be 0", i + 1);
    }
  }
  return bytes;
}

void append_json_bytes(std::string& out, std::string_view bytes) {
  if (is_valid_utf8(bytes)) return append_json_string(out, bytes);
  out += "{\"base64\":\"" + encode_base64(bytes) + "\"}";
}

}  // namespace fq
