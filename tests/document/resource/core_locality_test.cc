// Which cores are near which GPU, as R carries it.

#include "document/resource/core_locality.h"

#include <gtest/gtest.h>

#include "support/error_text.h"

namespace fq::document {
namespace {

TEST(CoreLocality, is_a_key_of_R_that_others_may_have_written) {
  const std::string text = R"({"near":{"node0":{"0":"0-3","1":"4-7"}},"writer":"fq"})";
  EXPECT_EQ(CoreLocality::parse(text).encode(), text);
  EXPECT_EQ(CoreLocality{}.encode(), "");
  for (const char* of_others : {"", "{}", R"({"near":{"node0":{"0":"0-3"}}})",
                                R"({"writer":"fluxion","near":1})", R"({"writer":"fq"})"}) {
    EXPECT_TRUE(CoreLocality::parse(of_others).hosts.empty()) << of_others;
  }
}

TEST(CoreLocality, what_is_damaged_is_refused) {
  const auto fault = [](const std::string& near) {
    return error_text([&] { return CoreLocality::parse(R"({"writer":"fq","near":)" + near + "}"); });
  };
  EXPECT_EQ(fault(R"({"n":{"x":"0"}})"), "scheduling.near.n: expected the number of a GPU, got 'x'");
  EXPECT_NE(fault(R"({"n":{"0":"3-1"}})"), "no error");
  EXPECT_NE(fault("[]"), "no error");
}

TEST(CoreLocality, must_be_of_cores_and_gpus_that_there_are) {
  auto nodes = ResourceSet::uniform(notation::Idset::decode("0"), notation::Hostlist::decode("node0"),
                                    notation::Idset::decode("0-3"), notation::Idset::decode("0"));
  const auto fault = [&](std::uint32_t gpu, const char* cores) {
    CoreLocality locality;
    locality.hosts["node0"][gpu] = notation::Idset::decode(cores);
    locality.hosts["elsewhere"][7] = notation::Idset::decode("9");
    return error_text([&] {
      locality.check(nodes);
      return 0;
    });
  };
  EXPECT_EQ(fault(0, "0-1"), "no error");
  EXPECT_EQ(fault(1, "0-1"), "scheduling.near: host 'node0' has no GPU 1");
  EXPECT_EQ(fault(0, "2-5"), "scheduling.near: host 'node0' has cores 0-3, not 4-5");
}

}  // namespace
}  // namespace fq::document
