#include "signature/keys.h"

#include <algorithm>

#include <sodium.h>

#include "signature/fields.h"
#include "signature/refused.h"

namespace fq::signature {
namespace {

// The lines of a file of keys, without comments.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, std::min(text.substr(0, end).find('#'), end));
    if (line.find_first_not_of(' ') != std::string_view::npos) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::array<unsigned char, 32> bytes_of(std::string_view text) {
  std::string bytes = from_base64(text);
  std::array<unsigned char, 32> key{};
  if (bytes.size() != key.size()) throw Refused("a key has not 32 bytes");
  std::copy(bytes.begin(), bytes.end(), key.begin());
  ::sodium_memzero(bytes.data(), bytes.size());
  return key;
}

std::string_view characters(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

std::string PublicKey::id() const {
  std::array<unsigned char, 16> hash{};  // the least that there is of it
  ::crypto_generichash(hash.data(), hash.size(), bytes.data(), bytes.size(), nullptr, 0);
  std::array<char, 17> text{};
  ::sodium_bin2hex(text.data(), text.size(), hash.data(), 8);
  return text.data();
}

SecretKey::SecretKey(const unsigned char* seed) {
  std::array<unsigned char, 32> ignored{};
  ::crypto_sign_seed_keypair(ignored.data(), bytes_.data(), seed);
}

SecretKey::SecretKey(SecretKey&& other) noexcept : bytes_(other.bytes_) {
  ::sodium_memzero(other.bytes_.data(), other.bytes_.size());
}

SecretKey::~SecretKey() {
  ::sodium_memzero(bytes_.data(), bytes_.size());
}

SecretKey SecretKey::make() {
  std::array<unsigned char, 32> seed{};
  ::randombytes_buf(seed.data(), seed.size());
  SecretKey key(seed.data());
  ::sodium_memzero(seed.data(), seed.size());
  return key;
}

SecretKey SecretKey::parse(std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  if (lines.size() != 1) throw Refused("a secret key is one line");
  std::array<unsigned char, 32> seed = bytes_of(lines.front());
  SecretKey key(seed.data());
  ::sodium_memzero(seed.data(), seed.size());
  return key;
}

std::string SecretKey::text() const {
  return to_base64(characters(bytes_.data(), 32)) + "\n";
}

PublicKey SecretKey::public_key() const {
  PublicKey key;
  std::copy_n(bytes_.begin() + 32, key.bytes.size(), key.bytes.begin());
  return key;
}

std::array<unsigned char, 64> SecretKey::sign(std::string_view bytes) const {
  std::array<unsigned char, 64> signature{};
  ::crypto_sign_detached(signature.data(), nullptr, reinterpret_cast<const unsigned char*>(bytes.data()),
                         bytes.size(), bytes_.data());
  return signature;
}

std::vector<PublicKey> parse_public_keys(std::string_view text) {
  std::vector<PublicKey> keys;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t blank = line.find(' ');
    PublicKey key{bytes_of(line.substr(0, blank))};
    if (blank != std::string_view::npos) {
      key.until =
          static_cast<std::int64_t>(parse_number(line.substr(blank + 1), "the end of a key", INT64_MAX));
    }
    keys.push_back(key);
  }
  return keys;
}

std::string public_keys_text(const std::vector<PublicKey>& keys) {
  std::string text;
  for (const PublicKey& key : keys) {
    text += to_base64(characters(key.bytes.data(), key.bytes.size()));
    if (key.until != INT64_MAX) text += " " + std::to_string(key.until);
    text += "\n";
  }
  return text;
}

KeyTexts new_keys(std::string_view known, std::int64_t now, std::int64_t life) {
  std::vector<PublicKey> keys = parse_public_keys(known);
  for (PublicKey& old : keys) old.until = std::min(old.until, now + life);
  std::erase_if(keys, [&](const PublicKey& old) { return old.until <= now; });
  const SecretKey key = SecretKey::make();
  keys.push_back(key.public_key());
  return {key.text(), public_keys_text(keys)};
}

std::string to_base64(std::string_view bytes) {
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  ::sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                      bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // the terminating zero
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 1, '\0');
  std::size_t size = 0;
  if (::sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                          text.size(), nullptr, &size, nullptr, sodium_base64_VARIANT_ORIGINAL) != 0) {
    throw Refused("that is no base64");
  }
  bytes.resize(size);
  // It takes some texts that are no base64, too.
  if (to_base64(bytes) != text) throw Refused("that is no base64");
  return bytes;
}

}  // namespace fq::signature
