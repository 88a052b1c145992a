// The table `access`.

#include "document/config/config_access.h"

#include <gtest/gtest.h>

#include "support/error_text.h"

namespace fq::document {
namespace {

std::string read(const std::string& text) {
  const ConfigSource source({ConfigSource::File{"fq.toml", text}});
  const AccessConfig access = read_access(ConfigAt(source.document(), &source));
  EXPECT_EQ(decode_access(encode_access(access)), access);
  return encode_access(access);
}

TEST(ConfigAccess, what_is_set_is_kept_and_nothing_else) {
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("access = { operators = [], private = false }\n"), "");
  EXPECT_EQ(read("access.operators = ['ada', '@staff']\n"),
            R"({"operators":["ada","@staff"],"private":false})");
  EXPECT_EQ(read("access.private = true\n"), R"({"operators":[],"private":true})");
}

TEST(ConfigAccess, mistakes_are_named) {
  const auto failure = [](const std::string& text) { return error_text([&] { return read(text); }); };
  EXPECT_EQ(failure("access.operators = 'ada'\n"),
            "fq.toml:1: access.operators: expected an array of strings, got a string");
  EXPECT_EQ(failure("access.operators = ['@']\n"),
            "fq.toml:1: access.operators: expected the name of a group behind '@'");
  EXPECT_EQ(failure("access.privat = true\n"),
            "fq.toml:1: access.privat: unknown key (did you mean 'private'?)");
}

}  // namespace
}  // namespace fq::document
