#include "signature/exec_message.h"

#include <gtest/gtest.h>

#include "signature/fields.h"
#include "signature/refused.h"

namespace fq::signature {
namespace {

ExecMessage some_message() {
  return {"store", 12, 3, 1700000000, "0 node-1 0-3,7 -\n1 n.x 0 0-1\n", "J", 4, "v", "p"};
}

TEST(ExecMessage, what_is_written_is_read_again) {
  const std::string text = encode_message(some_message());
  const std::size_t colon = text.find(':');
  EXPECT_EQ(std::stoul(text.substr(0, colon)), text.size() - colon - 1);
  EXPECT_EQ(decode_message(text.substr(colon + 1)), some_message());
  const SignedJob job{12, 3, 0, "0 here 0 -\n", "{}", 0, 0, ""};
  EXPECT_EQ(decode_job(encode_job(job)), job);
}

TEST(ExecMessage, the_number_of_the_store_is_not_in_messages_of_versions_that_knew_none) {
  ExecMessage message = some_message();
  const std::string without = encode_message(message);
  message.number = 1700000000123;
  const std::string with = encode_message(message);
  EXPECT_EQ(with.substr(with.find(':') + 1), without.substr(without.find(':') + 1) + "13:1700000000123");
  EXPECT_EQ(decode_message(with.substr(with.find(':') + 1)), message);
  EXPECT_EQ(decode_message(without.substr(without.find(':') + 1)).number, 0U);
}

TEST(ExecMessage, a_message_that_is_cut_or_longer_is_refused) {
  std::string text = encode_message(some_message());
  text = text.substr(text.find(':') + 1);
  for (std::size_t i = 0; i < text.size(); ++i)
    EXPECT_THROW(static_cast<void>(decode_message(text.substr(0, i))), Refused);
  EXPECT_THROW(static_cast<void>(decode_message(text + "0:")), Refused);
  EXPECT_THROW(static_cast<void>(decode_message(text + "x")), Refused);
}

TEST(ExecMessage, R_is_numbers_and_hosts) {
  const char* wrong[] = {"",
                         "0 here 0 -",
                         "0 here 0\n",
                         "0 here 0 - -\n",
                         "0 here 0  -\n",
                         "00 here 0 -\n",
                         "x here 0 -\n",
                         "0 -here 0 -\n",
                         "0 .here 0 -\n",
                         "0 he/re 0 -\n",
                         "0 here 0;x -\n",
                         "0 here -1 -\n",
                         "0 here 0 \n",
                         "0 here 0 -\n\n",
                         "0 here 0 -\n1 here 0 $(id)\n"};
  for (const char* R : wrong) {
    ExecMessage message = some_message();
    message.R = R;
    const std::string text = encode_message(message);
    EXPECT_THROW(static_cast<void>(decode_message(text.substr(text.find(':') + 1))), Refused) << R;
  }
}

TEST(Fields, lists_have_one_text) {
  EXPECT_EQ(encode_fields({"", "a:b", std::string("\0", 1)}), std::string("0:3:a:b1:\0", 10));
  EXPECT_EQ(decode_fields("0:3:a:b"), (std::vector<std::string_view>{"", "a:b"}));
  for (const char* wrong : {"x", "1", "1:", "01:a", "-1:a", "+1:a", " 1:a", "2:a",
                            "99999999999999999999999:a", "18446744073709551615:a", ":a"})
    EXPECT_THROW(static_cast<void>(decode_fields(wrong)), Refused) << wrong;
  EXPECT_THROW(static_cast<void>(decode_fields("0:0:", 1)), Refused);
}

}  // namespace
}  // namespace fq::signature
