#include "cli/frame/locale_text.h"

#include <gtest/gtest.h>

namespace fq::cli {
namespace {

TEST(LocaleText, an_ASCII_locale_gets_ASCII_for_what_fq_writes) {
  // The letter of ids and the ellipsis; other text is left as it is.
  EXPECT_EQ(for_locale("ƒ2GMuTnf, ƒa, …", true), "f2GMuTnf, fa, ...");
  EXPECT_EQ(for_locale("ƒƒ……", true), "ff......");
  EXPECT_EQ(for_locale("日本", true), "日本");
  EXPECT_EQ(for_locale("ƒ2GMuTnf …", false), "ƒ2GMuTnf …");
  EXPECT_EQ(for_locale("", true), "");
}

}  // namespace
}  // namespace fq::cli
