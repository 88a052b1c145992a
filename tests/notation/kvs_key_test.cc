#include "notation/kvs_key.h"

#include <string>

#include <gtest/gtest.h>

namespace fq::notation {
namespace {

TEST(KvsKey, words_joined_with_dots_are_keys) {
  // The names of RFC 16, and what else makes a plain file name; nothing that leads to another directory.
  for (const char* key : {"application", "tools.gdb", "a", "x-1_2+3@4:5,6=7", "A.b.C"}) {
    EXPECT_TRUE(is_kvs_key(key)) << key;
  }
  EXPECT_TRUE(is_kvs_key(std::string(kMaxKvsKey, 'k')));
  for (const char* text : {"", ".", "..", ".a", "a.", "a..b", "a/b", "a b", "a\nb", "ä", "a\\b", "~"}) {
    EXPECT_FALSE(is_kvs_key(text)) << text;
  }
  EXPECT_FALSE(is_kvs_key(std::string(kMaxKvsKey + 1, 'k')));
}

TEST(KvsKey, a_directory_has_itself_and_what_is_below) {
  // But not what only begins with its name.
  EXPECT_TRUE(is_in("exec", "exec"));
  EXPECT_TRUE(is_in("exec", "exec.eventlog"));
  EXPECT_FALSE(is_in("exec", "execute"));
  EXPECT_FALSE(is_in("exec", "exe"));
}

}  // namespace
}  // namespace fq::notation
