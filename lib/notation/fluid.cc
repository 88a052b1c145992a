#include "notation/fluid.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "notation/cursor.h"
#include "notation/fluid_tables.h"
#include "notation/fluid_words.h"

namespace fq::notation {

namespace {

constexpr int kGeneratorBits = 14;
constexpr int kSequenceBits = 10;
constexpr int kTimestampBits = 40;

constexpr std::string_view kUnicodePrefix = "ƒ";
constexpr std::string_view kAsciiPrefix = "f";
constexpr std::string_view kKvsPrefix = "job.";
constexpr std::string_view kEmojiLead = "\xf0\x9f";
constexpr std::string_view kBase58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

constexpr std::array<std::string_view, 8> kFormNames{"dec",      "hex", "dothex", "f58",
                                                     "f58plain", "kvs", "emoji",  "words"};

[[nodiscard]] Error invalid_id(std::string_view text, std::string_view problem) {
  return error(Kind::invalid, "invalid job id {}: {}", quote_cut(text), problem);
}

[[nodiscard]] Error too_large(std::string_view text) {
  return invalid_id(text, "greater than 18446744073709551615");
}

/// value * base + digit, or nothing when that needs more than 64 bits.
std::optional<std::uint64_t> shift_in(std::uint64_t value, std::uint64_t base, std::uint64_t digit) {
  std::uint64_t out = 0;
  if (__builtin_mul_overflow(value, base, &out) || __builtin_add_overflow(out, digit, &out)) {
    return std::nullopt;
  }
  return out;
}

std::string with_f58_prefix(std::string_view prefix, JobId id) {
  std::array<char, 11> reversed{};  // 58^11 > 2^64
  std::size_t length = 0;
  std::uint64_t rest = id.value;
  do {
    reversed[length++] = kBase58[rest % kBase58.size()];
    rest /= kBase58.size();
  } while (rest != 0);
  std::string out{prefix};
  while (length != 0) out += reversed[--length];
  return out;
}

bool names_utf8(std::string_view locale) {
  // language[_territory][.codeset][@modifier]; C and POSIX, which have no codeset, are ASCII.
  const std::size_t dot = locale.find('.');
  if (dot == std::string_view::npos) return false;
  std::string codeset;
  for (const char c : locale.substr(dot + 1, locale.find('@', dot) - dot - 1)) {
    if (c == '-') continue;
    codeset += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return codeset == "utf8";
}

std::uint64_t parse_f58(std::string_view text, std::size_t prefix) {
  if (text.size() == prefix) throw invalid_id(text, fmt::format("expected base 58 digits after '{}'", text));
  std::uint64_t value = 0;
  for (std::size_t i = prefix; i < text.size(); ++i) {
    const std::size_t digit = kBase58.find(text[i]);
    if (digit == std::string_view::npos) {
      // The prefix is one character.
      throw invalid_id(text, fmt::format("no base 58 digit at character {}", i - prefix + 2));
    }
    const auto next = shift_in(value, kBase58.size(), digit);
    if (!next) throw too_large(text);
    value = *next;
  }
  return value;
}

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

std::uint64_t parse_hex(std::string_view text) {
  if (text.size() == 2) throw invalid_id(text, "expected hexadecimal digits after '0x'");
  std::uint64_t value = 0;
  for (std::size_t i = 2; i < text.size(); ++i) {
    const auto digit = hex_digit(text[i]);
    if (!digit) throw invalid_id(text, fmt::format("no hexadecimal digit at character {}", i + 1));
    const auto next = shift_in(value, 16, *digit);
    if (!next) throw too_large(text);
    value = *next;
  }
  return value;
}

/// Leading zeros of a group may be left out: `0.0.0.39`.
std::uint64_t parse_dothex(std::string_view text) {
  constexpr std::string_view kExpected =
      "expected four groups of one to four hexadecimal digits with dots between";
  std::uint64_t value = 0;
  int groups = 0;
  std::size_t from = text.starts_with(kKvsPrefix) ? kKvsPrefix.size() : 0;
  for (;;) {
    const std::size_t end = std::min(text.find('.', from), text.size());
    if (end == from || end - from > 4 || ++groups > 4) throw invalid_id(text, kExpected);
    std::uint64_t group = 0;
    for (std::size_t i = from; i < end; ++i) {
      const auto digit = hex_digit(text[i]);
      if (!digit) throw invalid_id(text, fmt::format("no hexadecimal digit at character {}", i + 1));
      group = group << 4 | *digit;
    }
    value = value << 16 | group;
    if (end == text.size()) break;
    from = end + 1;
  }
  if (groups != 4) throw invalid_id(text, kExpected);
  return value;
}

std::uint64_t parse_emoji(std::string_view text) {
  std::uint64_t value = 0;
  for (std::size_t at = 0; at < text.size(); at += kEmojiBytes) {
    const std::string_view emoji = text.substr(at, kEmojiBytes);
    std::size_t digit = 0;
    while (digit < kEmojiCount && kEmoji.substr(digit * kEmojiBytes, kEmojiBytes) != emoji) ++digit;
    if (digit == kEmojiCount) {
      throw invalid_id(text, fmt::format("no emoji of RFC 19 at character {}", at / kEmojiBytes + 1));
    }
    const auto next = shift_in(value, kEmojiCount, digit);
    if (!next) throw too_large(text);
    value = *next;
  }
  return value;
}

std::uint64_t parse_dec(std::string_view text) {
  const bool number =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!number) {
    throw invalid_id(
        text,
        "expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal "
        "number");
  }
  const auto value = parse_u64(text);
  if (!value) throw too_large(text);
  return *value;
}

}  // namespace

bool f58_wants_ascii(const char* force_ascii, const char* lc_all, const char* lc_ctype, const char* lang) {
  if (force_ascii != nullptr) return true;
  for (const char* locale : {lc_all, lc_ctype, lang}) {
    if (locale != nullptr && *locale != '\0') return !names_utf8(locale);
  }
  return false;
}

bool prints_ascii() {
  static const bool ascii = f58_wants_ascii(std::getenv("FLUX_F58_FORCE_ASCII"), std::getenv("LC_ALL"),
                                            std::getenv("LC_CTYPE"), std::getenv("LANG"));
  return ascii;
}

std::string to_f58(JobId id) {
  return with_f58_prefix(prints_ascii() ? kAsciiPrefix : kUnicodePrefix, id);
}

std::string to_f58_ascii(JobId id) {
  return with_f58_prefix(kAsciiPrefix, id);
}

std::string to_dothex(JobId id) {
  return fmt::format("{:04x}.{:04x}.{:04x}.{:04x}", id.value >> 48, id.value >> 32 & 0xFFFF,
                     id.value >> 16 & 0xFFFF, id.value & 0xFFFF);
}

std::string to_hex(JobId id) {
  return fmt::format("{:#x}", id.value);
}

std::string to_dec(JobId id) {
  return fmt::to_string(id.value);
}

std::string to_kvs(JobId id) {
  return std::string{kKvsPrefix} + to_dothex(id);
}

std::string to_emoji(JobId id) {
  std::string out;
  std::uint64_t rest = id.value;
  do {
    out.insert(0, kEmoji.substr(rest % kEmojiCount * kEmojiBytes, kEmojiBytes));
    rest /= kEmojiCount;
  } while (rest != 0);
  return out;
}

JobId parse_job_id(std::string_view text) {
  // The order of these tests is the RFC's: dotted hexadecimal may begin with an f.
  text = trim(text);
  if (text.find('.') != std::string_view::npos) return {parse_dothex(text)};
  if (text.find('-') != std::string_view::npos) {
    if (const auto value = parse_words(text)) return {*value};
  }
  if (text.starts_with(kUnicodePrefix)) return {parse_f58(text, kUnicodePrefix.size())};
  if (text.starts_with(kAsciiPrefix)) return {parse_f58(text, kAsciiPrefix.size())};
  if (text.starts_with(kEmojiLead)) return {parse_emoji(text)};
  if (text.starts_with("0x")) return {parse_hex(text)};
  return {parse_dec(text)};
}

std::string format_id(JobId id, IdForm form) {
  switch (form) {
    case IdForm::dec:
      return to_dec(id);
    case IdForm::hex:
      return to_hex(id);
    case IdForm::dothex:
      return to_dothex(id);
    case IdForm::f58:
      return to_f58(id);
    case IdForm::f58plain:
      return to_f58_ascii(id);
    case IdForm::kvs:
      return to_kvs(id);
    case IdForm::emoji:
      return to_emoji(id);
    case IdForm::words:
      return to_words(id.value);
  }
  throw error(Kind::internal, "no job id form {}", static_cast<int>(form));
}

IdForm parse_id_form(std::string_view name) {
  for (std::size_t i = 0; i < kFormNames.size(); ++i) {
    if (name == kFormNames[i]) return static_cast<IdForm>(i);
  }
  const std::vector<std::string> names{kFormNames.begin(), kFormNames.end()};
  throw Error{Kind::invalid,
              fmt::format("unknown job id form {}: expected one of {}", quote_cut(name), join(names, ", ")),
              did_you_mean(name, names)};
}

JobId compose(const FluidParts& parts) {
  const auto check = [](std::string_view field, std::uint64_t value, int bits) {
    if (value >> bits != 0) {
      throw error(Kind::invalid, "job id {} {} needs more than {} bits", field, value, bits);
    }
  };
  check("timestamp", parts.timestamp_ms, kTimestampBits);
  check("generator", parts.generator, kGeneratorBits);
  check("sequence", parts.sequence, kSequenceBits);
  return {parts.timestamp_ms << (kGeneratorBits + kSequenceBits) |
          std::uint64_t{parts.generator} << kSequenceBits | parts.sequence};
}

FluidParts decompose(JobId id) {
  return {id.value >> (kGeneratorBits + kSequenceBits),
          static_cast<std::uint32_t>(id.value >> kSequenceBits & ((1U << kGeneratorBits) - 1)),
          static_cast<std::uint32_t>(id.value & ((1U << kSequenceBits) - 1))};
}

}  // namespace fq::notation
