// The table of requests tells the truth of who may ask what.

#include "manager/engine/serve.h"

#include <gtest/gtest.h>

#include "request/codec.h"
#include "store/transaction.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

std::string one_node() {
  return document::ResourceSet::uniform({0}, notation::Hostlist::decode("node0"), {0}, {}).encode();
}

// With which error a request is refused; nothing: it is not. It says as little as its form allows: what may
// not be asked is refused whatever it says.
std::optional<Kind> refusal(const manager::Session& session, std::size_t at) {
  const request::RequestKind& kind = request::kind_at(at);
  std::string text = "{}";
  if (kind.name == "reload") text = R"({"wanted":)" + one_node() + "}";
  const std::shared_ptr<void> asked = kind.decode_request(text);
  try {
    if (kind.has_rows) {
      const auto rows = kind.make_rows({[](std::string_view) {}, [](std::string_view) { return true; }, {}});
      manager::serve(session, at, asked.get(), nullptr, rows.get());
    } else {
      manager::serve(session, at, asked.get(), kind.make_reply().get(), nullptr);
    }
  } catch (const Error& failure) {
    return failure.kind();
  }
  return std::nullopt;
}

TEST(Serve, what_is_the_owners_is_refused_to_others) {
  Scenario s;
  manager::Session other = s.session;
  other.caller.uid += 1;
  s.submit();
  int owners = 0;
  for (std::size_t at = 0; at < request::kKinds; ++at) {
    const request::RequestKind& kind = request::kind_at(at);
    SCOPED_TRACE(kind.name);
    if (kind.name == "wait-queue") continue;  // it would wait for the job
    if (kind.who != request::Who::operators) {
      EXPECT_NE(refusal(other, at), Kind::permission);
      continue;
    }
    ++owners;
    EXPECT_EQ(refusal(other, at), Kind::permission);
    EXPECT_NE(refusal(s.session, at), Kind::permission);
  }
  EXPECT_GT(owners, 8);
}

TEST(Serve, what_only_reads_changes_nothing) {
  Scenario s;
  s.submit();
  const auto number = [&] {
    std::uint64_t now = 0;
    manager::query(s.session, [&](const store::Reader& reader) { now = store::transaction_number(reader); });
    return now;
  };
  for (std::size_t at = 0; at < request::kKinds; ++at) {
    const request::RequestKind& kind = request::kind_at(at);
    if (kind.access != request::Access::read || kind.name.starts_with("wait-")) continue;
    SCOPED_TRACE(kind.name);
    const auto before = number();
    static_cast<void>(refusal(s.session, at));
    EXPECT_EQ(number(), before);
  }
}

}  // namespace
}  // namespace fq::test
