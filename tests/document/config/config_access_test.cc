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

TEST(ConfigAccess, shares_have_defaults_and_0_is_none) {
  EXPECT_EQ(read("access.shares = { pending-jobs = 100000, patience = '60s' }\n"), "");
  EXPECT_EQ(read("access.shares = { bytes = 0, connections = 8, processor-time = '0' }\n"),
            R"({"operators":[],"private":false,"shares":{"bytes":0,"connections":8,"disk-reserve":268435456,)"
            R"("patience":60.0,"pending-jobs":100000,"processor-time":0.0}})");
}

TEST(ConfigAccess, mistakes_are_named) {
  const auto failure = [](const std::string& text) { return error_text([&] { return read(text); }); };
  EXPECT_EQ(failure("access.operators = 'ada'\n"),
            "fq.toml:1: access.operators: expected an array of strings, got a string");
  EXPECT_EQ(failure("access.operators = ['@']\n"),
            "fq.toml:1: access.operators: expected the name of a group behind '@'");
  EXPECT_EQ(failure("access.privat = true\n"),
            "fq.toml:1: access.privat: unknown key (did you mean 'private'?)");
  EXPECT_EQ(failure("access.shares.connections = 7\n"),
            "fq.toml:1: access.shares.connections: expected at least 8, or 0 for no limit, got 7");
  EXPECT_EQ(failure("access.shares.patience = '1ms'\n"),
            "fq.toml:1: access.shares.patience: expected at least a second, or 0 for no limit");
  EXPECT_EQ(failure("access.shares.byte = 7\n"),
            "fq.toml:1: access.shares.byte: unknown key (did you mean 'bytes'?)");
}

}  // namespace
}  // namespace fq::document
