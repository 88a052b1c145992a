#include "signature/signed_request.h"

#include <functional>

#include <gtest/gtest.h>

#include "signature/fields.h"
#include "signature/merkle.h"
#include "signature/refused.h"

namespace fq::signature {
namespace {

constexpr std::int64_t kNow = 1'000'000'000;

SignedRequest some_request() {
  SignedRequest request;
  request.userid = 1000;
  request.user = "alice";
  request.store = "store-1";
  request.machine = "0123456789abcdef";
  request.time = kNow;
  request.expiry = kNow + 60;
  request.nonce = "00112233445566778899aabbccddeeff";
  request.restarts = 2;
  request.reruns = 1;
  request.payload = R"({"version":1})";
  return request;
}

/// What it is refused with; empty where it is not.
std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Refused& refused) {
    return refused.what();
  }
  return "";
}

TEST(SignedRequest, R16_3_what_was_signed_is_read_again) {
  // By the key that signed, among others; a request of many jobs, too.
  const SecretKey key = SecretKey::make(), other = SecretKey::make();
  SignedRequest request = some_request();
  EXPECT_EQ(verify(sign(request, key), {other.public_key(), key.public_key()}, kNow + 59), request);
  request.count = 3;
  request.root = std::string(32, '\x07');
  EXPECT_EQ(verify(sign(request, key), {key.public_key()}, kNow), request);
}

TEST(SignedRequest, R16_20_what_was_changed_is_refused) {
  // Each byte of J, for each of a few others in its place.
  const SecretKey key = SecretKey::make();
  const std::string J = sign(some_request(), key);
  for (std::size_t i = 0; i < J.size(); ++i) {
    for (const char c : {'A', 'z', '0', '.', '=', '\0', '\xff'}) {
      std::string changed = J;
      if (changed[i] == c) continue;
      changed[i] = c;
      EXPECT_NE(refusal([&] { static_cast<void>(verify(changed, {key.public_key()}, kNow)); }), "") << i << c;
    }
    EXPECT_NE(refusal([&] { static_cast<void>(verify(J.substr(0, i), {key.public_key()}, kNow)); }), "") << i;
    EXPECT_NE(refusal([&] { static_cast<void>(verify(J.substr(i + 1), {key.public_key()}, kNow)); }), "")
        << i;
  }
}

TEST(SignedRequest, a_key_that_is_not_known_or_over_verifies_nothing) {
  const SecretKey key = SecretKey::make(), other = SecretKey::make();
  const std::string J = sign(some_request(), key);
  const std::string unknown = "J is signed by a key that is not known here";
  EXPECT_EQ(refusal([&] { static_cast<void>(verify(J, {}, kNow)); }), unknown);
  EXPECT_EQ(refusal([&] { static_cast<void>(verify(J, {other.public_key()}, kNow)); }), unknown);
  PublicKey old = key.public_key();
  old.until = kNow;
  EXPECT_EQ(refusal([&] { static_cast<void>(verify(J, {old}, kNow)); }), unknown);
  EXPECT_EQ(refusal([&] { static_cast<void>(verify(J, {key.public_key()}, kNow + 60)); }),
            "the signature of J has expired");
}

TEST(SignedRequest, only_what_makes_a_request_is_signed) {
  const SecretKey key = SecretKey::make();
  const std::string user = "user " + std::to_string(some_request().userid) +
                           " has a name that is not 1 to 256 characters of ASCII without blanks";
  const std::vector<std::pair<std::string, std::function<void(SignedRequest&)>>> cases = {
      {user, [](SignedRequest& r) { r.user = ""; }},
      {user, [](SignedRequest& r) { r.user = std::string("a\0b", 3); }},
      {user, [](SignedRequest& r) { r.user = "a b"; }},
      {user, [](SignedRequest& r) { r.user = "é"; }},
      {user, [](SignedRequest& r) { r.user = std::string(257, 'a'); }},
      {"J names no machine", [](SignedRequest& r) { r.machine = "a b"; }},
      {"J names no store", [](SignedRequest& r) { r.store = "../x"; }},
      {"J names no store", [](SignedRequest& r) { r.store = std::string(65, 'a'); }},
      {"J has no nonce", [](SignedRequest& r) { r.nonce = "0"; }},
      {"J has no nonce", [](SignedRequest& r) { r.nonce[3] = '/'; }},
      {"J expires before it was signed, or too long after", [](SignedRequest& r) { r.expiry = r.time; }},
      {"J expires before it was signed, or too long after",
       [](SignedRequest& r) { r.expiry += kLongestLife; }},
      {"J has no root of its jobs", [](SignedRequest& r) { r.count = 1; }},
      {"J has no root of its jobs", [](SignedRequest& r) { r.root = std::string(32, 'x'); }},
      {"a jobspec has 1 to 4194304 bytes", [](SignedRequest& r) { r.payload.clear(); }},
      {"a jobspec has 1 to 4194304 bytes", [](SignedRequest& r) { r.payload.assign(kMostPayload + 1, 'x'); }},
  };
  for (const auto& [message, change] : cases) {
    SignedRequest request = some_request();
    change(request);
    EXPECT_EQ(refusal([&] { static_cast<void>(sign(request, key)); }), message);
  }
}

TEST(SignedRequest, a_job_of_many_is_its_template_with_its_values) {
  const SecretKey key = SecretKey::make();
  std::vector<std::string> values;
  MerkleTree tree;
  for (const char* name : {"a", "b", "c"}) tree.add(values.emplace_back(encode_fields({name, "x"})));
  SignedRequest request = some_request();
  request.payload = encode_fields({"run ", " on ", "!"});
  request.count = 3;
  const Hash root = tree.finish();
  request.root.assign(root.begin(), root.end());
  EXPECT_EQ(jobspec_of(request, 1, values[1], tree.proof(1)), "run b on x!");
  const std::string wrong = "J was not signed for a job with these values";
  EXPECT_EQ(refusal([&] { require_part(request, 0, values[1], tree.proof(1)); }), wrong);
  EXPECT_EQ(refusal([&] { require_part(request, 1, values[0], tree.proof(1)); }), wrong);
  EXPECT_EQ(refusal([&] { require_part(some_request(), 0, values[0], ""); }), "J is for one job");
  EXPECT_EQ(jobspec_of(some_request(), 0, "", ""), some_request().payload);
}

TEST(SignedRequest, without_a_signature_J_says_so) {
  EXPECT_EQ(unsigned_request("{}", 7), "dmVyc2lvbgBpMQB1c2VyaWQAaTcAbWVjaGFuaXNtAHNub25lAA==.e30=.none");
  const SecretKey key = SecretKey::make();
  EXPECT_EQ(refusal([&] { static_cast<void>(verify(unsigned_request("{}", 7), {key.public_key()}, kNow)); }),
            "J is not signed");
}

}  // namespace
}  // namespace fq::signature
