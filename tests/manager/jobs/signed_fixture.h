// A store in which what users submit is signed, with a key of the test's own.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "manager/core/change.h"
#include "manager/engine/signatures.h"
#include "manager/jobs/submit.h"
#include "manager/run/start.h"
#include "records/signed_requests.h"
#include "request/signed_form.h"
#include "signature/keys.h"
#include "signature/signed_request.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {

class SignedStore : public testing::Test {
 protected:
  static constexpr std::uint32_t kUser = 2000;

  SignedStore() : s(manager::Credential{1000, 1000}), key_(signature::SecretKey::make()) {
    signatures_ = {"fq", directory_.path() + "/imp.pub", directory_.path() + "/machine-id"};
    write_file(signatures_.public_keys, signature::public_keys_text({key_.public_key()}));
    write_file(signatures_.machine, "0123456789abcdef\n");
    s.session.caller = {kUser, kUser};
    s.session.signatures = &signatures_;
  }

  // A request for the group that nothing is wrong with.
  [[nodiscard]] signature::SignedRequest request_for(const request::JobGroup& group) const {
    const request::SignedForm form(group);
    signature::SignedRequest request;
    request.userid = kUser;
    request.user = "alice";
    request.store = "fq";
    request.machine = "0123456789abcdef";
    request.time = static_cast<std::int64_t>(s.clock.now());
    request.expiry = request.time + 60;
    request.nonce = "00112233445566778899aabbccddeeff";
    request.count = form.count();
    request.root = form.root();
    request.payload = form.payload();
    return request;
  }
  [[nodiscard]] request::JobGroup sign(request::JobGroup group) const {
    group.J = signature::sign(request_for(group), key_);
    return group;
  }
  static request::JobGroup one() {
    request::JobGroup group;
    group.jobspec = request::JobspecTemplate::plain(Scenario::jobspec(1, 1, R"("duration":60)"));
    return group;
  }
  // Two rows of three copies that differ in their working directory.
  static request::JobGroup many() {
    request::JobGroup group;
    group.jobspec.pieces = {R"({"version":1,"resources":[{"type":"slot","count":1,"label":"task","with":)"
                            R"([{"type":"core","count":1}]}],"tasks":[{"command":["true"],"slot":"task",)"
                            R"("count":{"per_slot":1}}],"attributes":{"system":{"duration":60,"cwd":)",
                            "}}}"};
    group.rows = {{{{R"("/a)", R"(/x")"}}}, {{{R"("/b")"}}}};
    group.copies = notation::Idset::decode("2,4,7");
    return group;
  }
  std::vector<notation::JobId> submit(const request::JobGroup& group) {
    return manager::submit(s.session, {group});
  }
  std::string refusal(const request::JobGroup& group) {
    return error_text([&] { return submit(group); });
  }
  // The jobspec of a job is the very text that its user signed for it.
  void expect_signed(notation::JobId id) {
    std::optional<meeting::SignedStart> start;
    manager::transact(s.session, [&](manager::Change& change) {
      start = records::read_signed_request(change.transaction(), id)
                  ? manager::launch_plan(change, id).signed_start
                  : std::nullopt;
    });
    ASSERT_TRUE(start);
    EXPECT_EQ(start->store, "fq");
    const signature::SignedRequest request =
        signature::verify(start->J, {key_.public_key()}, static_cast<std::int64_t>(s.clock.now()));
    EXPECT_EQ(signature::jobspec_of(request, start->index, start->values, start->proof),
              s.document(id, "jobspec"));
    EXPECT_EQ(s.document(id, "J"), start->J);
  }

  Scenario s;
  TempDirectory directory_;
  signature::SecretKey key_;
  manager::Signatures signatures_;
};

}  // namespace fq::test
