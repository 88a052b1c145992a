#include "base/base64.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/error_text.h"

namespace fq {
namespace {

TEST(Base64, test_vectors_of_RFC_4648) {
  // The RFC's vectors and every byte value are encoded as it says and return.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xfb\xff\xfe", "+//+"},
  };
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(encode_base64(bytes), text);
    EXPECT_EQ(decode_base64(text), bytes);
  }
  for (std::size_t size = 0; size < 300; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 7);
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
  }
}

TEST(Base64, failures_name_the_character) {
  // What is not the one text of some bytes is refused.
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"Zg", "base64: expected a multiple of 4 characters, got 2"},
      {"Zg=", "base64: expected a multiple of 4 characters, got 3"},
      {"====", "base64: character 1: '=' is not of its alphabet"},
      {"Z===", "base64: character 2: '=' is not of its alphabet"},
      {"Zm9 ", "base64: character 4: ' ' is not of its alphabet"},
      {"Zg==Zg==", "base64: character 3: '=' is not of its alphabet"},
      {"Zm-v", "base64: character 3: '-' is not of its alphabet"},
      {"Zh==", "base64: character 2: its last bits must be 0"},
      {"Zm9=", "base64: character 3: its last bits must be 0"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(error_text([&] { return decode_base64(text); }), message);
  }
}

}  // namespace
}  // namespace fq
