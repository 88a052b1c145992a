#include "signature/keys.h"

#include <gtest/gtest.h>

#include "signature/refused.h"

namespace fq::signature {
namespace {

TEST(Keys, a_secret_key_is_read_again) {
  const SecretKey key = SecretKey::make();
  const SecretKey again = SecretKey::parse("# signs\n" + key.text());
  EXPECT_EQ(again.public_key().bytes, key.public_key().bytes);
  EXPECT_EQ(again.sign("text"), key.sign("text"));
  for (const char* wrong : {"", "#", "AAAA", "no base64", "AAAA\nAAAA"})
    EXPECT_THROW(static_cast<void>(SecretKey::parse(wrong)), Refused);
}

TEST(Keys, the_test_vector_of_RFC_8032) {
  // 7.1, test 1: the seed's public key, and the signature of nothing.
  const SecretKey key = SecretKey::parse("nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=");
  EXPECT_EQ(public_keys_text({key.public_key()}), "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n");
  const auto signature = key.sign("");
  EXPECT_EQ(to_base64({reinterpret_cast<const char*>(signature.data()), signature.size()}),
            "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw==");
}

TEST(Keys, a_rotated_key_goes_on_until_what_it_signed_is_over) {
  const KeyTexts first = new_keys("", 100, 50);
  const KeyTexts second = new_keys(first.known, 200, 50);
  const std::vector<PublicKey> keys = parse_public_keys(second.known);
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].bytes, SecretKey::parse(first.secret).public_key().bytes);
  EXPECT_EQ(keys[0].until, 250);
  EXPECT_EQ(keys[1].bytes, SecretKey::parse(second.secret).public_key().bytes);
  EXPECT_EQ(keys[1].until, INT64_MAX);
  EXPECT_EQ(parse_public_keys(new_keys(second.known, 220, 50).known).size(), 3U);
  EXPECT_EQ(parse_public_keys(new_keys(second.known, 250, 50).known).size(), 2U);
}

}  // namespace
}  // namespace fq::signature
