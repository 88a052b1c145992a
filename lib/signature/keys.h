// The keys of a machine's root: a secret one that signs, and public ones, of which those that were replaced
// verify until what they signed has expired. As text, a line each, `#` begins a comment:
//
//   secret:  SEED                 32 bytes in base64
//   public:  KEY [UNTIL]          32 bytes in base64; seconds since the epoch from which on it verifies
//   nothing

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fq::signature {

struct PublicKey {
  std::array<unsigned char, 32> bytes{};
  std::int64_t until = INT64_MAX;

  /// By which signed text names it: 16 hexadecimal digits.
  [[nodiscard]] std::string id() const;
};

/// A key pair; wiped from memory at its end.
class SecretKey {
 public:
  /// Made from random bytes.
  [[nodiscard]] static SecretKey make();
  /// Throws Refused.
  [[nodiscard]] static SecretKey parse(std::string_view text);
  SecretKey(SecretKey&& other) noexcept;
  SecretKey& operator=(SecretKey&&) = delete;
  ~SecretKey();

  [[nodiscard]] std::string text() const;
  [[nodiscard]] PublicKey public_key() const;
  [[nodiscard]] std::array<unsigned char, 64> sign(std::string_view bytes) const;

 private:
  explicit SecretKey(const unsigned char* seed);
  std::array<unsigned char, 64> bytes_{};
};

/// Throws Refused.
[[nodiscard]] std::vector<PublicKey> parse_public_keys(std::string_view text);
[[nodiscard]] std::string public_keys_text(const std::vector<PublicKey>& keys);

/// The texts of a new pair of keys, and of the public ones that there were: these verify until what they may
/// have signed by `now` has expired, `life` seconds after.
struct KeyTexts {
  std::string secret;
  std::string known;
};
[[nodiscard]] KeyTexts new_keys(std::string_view known, std::int64_t now, std::int64_t life);

[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Throws Refused where `text` is not base64 as RFC 4648 has it, whole and padded.
[[nodiscard]] std::string from_base64(std::string_view text);

}  // namespace fq::signature
