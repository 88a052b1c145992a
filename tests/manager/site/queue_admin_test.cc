// Who may administer queues, and what everybody may ask of them.

#include "manager/site/queue_admin.h"

#include <gtest/gtest.h>

#include "manager/site/configure.h"
#include "manager/site/queue_overview.h"
#include "manager/site/reload.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using Verb = manager::QueueRequest::Verb;

// Two queues of user 1000; the caller is user 2000.
class QueueAdmin : public testing::Test {
 protected:
  static constexpr std::uint32_t kOwner = 1000, kUser = 2000;

  QueueAdmin() : s(manager::Credential{kOwner, kOwner}) {
    load("policy.jobspec.defaults.system.queue = 'a'\n[queues.a]\n[queues.b]\n");
    as(kUser);
  }

  void as(std::uint32_t uid) { s.session.caller = {uid, uid}; }
  void load(const std::string& text) {
    const document::ConfigSource source({document::ConfigSource::File{"fq.toml", text}});
    manager::load_config(s.session, source, false);
  }
  std::string set(Verb verb, const std::string& queue, bool all = false) {
    return error_text([&] { return manager::set_queue(s.session, {verb, queue, "why", all}); });
  }
  std::string states() {
    std::string out;
    manager::query(s.session, [&](const store::Reader& reader) {
      out.clear();
      for (const manager::QueueStatus& queue : manager::queue_status(reader, std::nullopt)) {
        out += fmt::format("{}{}{}{}", out.empty() ? "" : " ", queue.queue, queue.state.enabled ? '+' : '-',
                           queue.state.started ? '+' : '-');
      }
    });
    return out;
  }

  Scenario s;
};

TEST_F(QueueAdmin, R33_28_R33_29_only_the_owner_opens_and_starts_queues) {
  // One or all; nothing changes. The owner and root may.
  for (const bool all : {false, true}) {
    const std::string queue = all ? "" : "b";
    EXPECT_EQ(set(Verb::start, queue, all), "only the owner may start a queue");
    EXPECT_EQ(set(Verb::stop, queue, all), "only the owner may stop a queue");
    EXPECT_EQ(set(Verb::enable, queue, all), "only the owner may enable a queue");
    EXPECT_EQ(set(Verb::disable, queue, all), "only the owner may disable a queue");
  }
  EXPECT_EQ(states(), "a++ b++");
  as(kOwner);
  EXPECT_EQ(set(Verb::stop, "b"), "no error");
  as(0);
  EXPECT_EQ(set(Verb::disable, "b"), "no error");
  EXPECT_EQ(states(), "a++ b--");
}

TEST_F(QueueAdmin, everybody_may_look_and_wait) {
  // Listing, status, waiting until a queue is empty.
  EXPECT_EQ(manager::queue_overview(s.session).size(), 2U);
  EXPECT_TRUE(manager::wait_for_rest(s.session, "a", manager::QueueRest::empty, 0));
}

TEST_F(QueueAdmin, R33_37_the_queue_is_in_the_jobspec_and_not_in_annotations) {
  // RFC 27's sched.queue is obsolete.
  const notation::JobId runs = s.submit(Scenario::jobspec(4, 1, R"("queue":"b")"));
  const notation::JobId waits = s.submit(Scenario::jobspec(4, 1, R"("queue":"b")"));
  EXPECT_EQ(s.states({runs, waits}), "R S");
  EXPECT_NE(s.document(runs, "jobspec").find(R"("queue":"b")"), std::string::npos);
  EXPECT_EQ(s.document(runs, "eventlog").find(R"("queue")"), std::string::npos);
  EXPECT_EQ(s.job(runs).annotations.find("queue"), std::string::npos);
  manager::query(s.session, [&](const store::Reader& reader) {
    const auto said = reader.get(store::Family::instance, records::key::annotation(waits));
    EXPECT_EQ(said.value_or("").find("queue"), std::string::npos);
  });
  s.finish(runs);
  s.finish(waits);
}

}  // namespace
}  // namespace fq::test
