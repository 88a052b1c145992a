// The law that holds the store together: whatever commands came, replaying every event log gives exactly the
// records, indexes, classes, counters and pool that are stored.

#include <random>
#include <set>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "manager/check/fsck.h"
#include "manager/dump/dump.h"
#include "manager/engine/adopt.h"
#include "manager/jobs/memo.h"
#include "manager/jobs/purge.h"
#include "manager/jobs/update.h"
#include "manager/jobs/urgency.h"
#include "manager/look/wait.h"
#include "manager/site/configure.h"
#include "manager/site/drain.h"
#include "manager/site/queue_admin.h"
#include "support/scenario.h"
#include "support/temp_directory.h"

namespace fq::test {
namespace {

using notation::JobId;

// A random user: submits, changes, cancels, lets jobs end or die, holds the queue, lets time pass.
class RandomUser {
 public:
  RandomUser(Scenario& scenario, unsigned seed) : s_(scenario), random_(seed) {}

  void act() {
    switch (pick(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return submit();
      case 4:
      case 5:
      case 6:
        return finish();
      case 7:
        return cancel();
      case 8:
        return kill_shell();
      case 9:
        return stop_or_start();
      case 10:
        return change_urgency();
      case 11:
        return raise_mildly();
      case 12:
        return take_results();
      case 13:
        return add_memo();
      case 14:
      case 15:
        return update();
      case 16:
        return purge();
      case 17:
        return configure();
      case 18:
        return s_.clock.advance(static_cast<double>(pick(40)));
      default:
        return s_.tick();
    }
  }

  void end_everything() {
    manager::set_queue(s_.session, {manager::QueueRequest::Verb::start, "", ""});
    load("");
    s_.clock.advance(10'000);
    s_.tick();
    while (!s_.launcher.shells.empty()) finish();
  }

 private:
  std::uint32_t pick(std::uint32_t n) {
    return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_);
  }
  JobId any_job() { return jobs_[pick(static_cast<std::uint32_t>(jobs_.size()))]; }

  void submit() {
    std::string system;
    if (pick(3) == 0) system = fmt::format("\"duration\":{}", 1 + pick(5000));
    if (pick(5) == 0)
      system = fmt::format("\"dependencies\":[{{\"scheme\":\"begin-time\",\"value\":\"{}\"}}]",
                           static_cast<std::uint64_t>(s_.clock.now()) + pick(100));
    if (pick(3) == 0 && !jobs_.empty()) {
      constexpr const char* kSchemes[] = {"after", "afterany", "afterok", "afternotok", "afterexcept"};
      system = fmt::format("\"dependencies\":[{{\"scheme\":\"{}\",\"value\":\"{}\"}}]", kSchemes[pick(4)],
                           notation::to_f58(any_job()));
    }
    if (pick(4) == 0) {
      const char* singleton = pick(2) == 0 ? R"(,"dependencies":[{"scheme":"singleton","value":""}])" : "";
      system = fmt::format(R"("job":{{"name":"n{}"}}{})", pick(3), singleton);
    }
    constexpr std::uint8_t kUrgencies[] = {0, 1, 16, 16, 16, 20, 31};
    try {
      request::JobGroup request;
      request.jobspec = request::JobspecTemplate::plain(Scenario::jobspec(1 + pick(6), 1 + pick(2), system));
      request.urgency = kUrgencies[pick(7)];
      if (pick(3) == 0) request.flags = job::kFlagWaitable;
      jobs_.push_back(manager::submit(s_.session, {request}).at(0));
    } catch (const Error& refusal) {
      EXPECT_NE(refusal.kind(), Kind::internal) << refusal.what();
    }
  }

  void finish() {
    if (s_.launcher.shells.empty()) return;
    auto shell = s_.launcher.shells.begin();
    std::advance(shell, pick(static_cast<std::uint32_t>(s_.launcher.shells.size())));
    s_.finish(shell->first, pick(3) == 0 ? 256 : 0);
  }

  void cancel() {
    if (!jobs_.empty()) s_.cancel(any_job(), "no longer wanted");
  }

  void change_urgency() {
    if (jobs_.empty()) return;
    const auto urgency = static_cast<std::uint8_t>(pick(32));
    static_cast<void>(manager::set_urgency(s_.session, {{any_job(), any_job()}, urgency}));
  }

  void raise_mildly() {
    if (jobs_.empty()) return;
    manager::RaiseRequest request;
    request.ids = {any_job()};
    request.type = "note";
    request.severity = static_cast<std::uint8_t>(1 + pick(7));
    static_cast<void>(manager::raise(s_.session, request));
  }

  void add_memo() {
    constexpr const char* kMemos[] = {R"({"a":1})", R"({"a":{"b":2}})", R"({"a":{"b":null,"c":3}})",
                                      R"({"a":null})", R"({"d":"text"})"};
    if (jobs_.empty()) return;
    try {
      manager::add_memo(s_.session, {any_job(), kMemos[pick(5)], pick(2) == 0});
    } catch (const Error& refusal) {
      EXPECT_TRUE(refusal.kind() == Kind::refused || refusal.kind() == Kind::not_found) << refusal.what();
    }
  }

  void update() {
    if (jobs_.empty()) return;
    manager::UpdateRequest request;
    request.ids = {any_job(), any_job()};
    if (pick(2) == 0) request.updates = fmt::format(R"({{"attributes.system.job.name":"n{}"}})", pick(3));
    if (pick(3) == 0) request.duration_change_s = static_cast<double>(pick(2000)) - 500;
    if (pick(3) == 0) request.updates = fmt::format(R"({{"attributes.system.duration":{}}})", pick(5000));
    if (pick(4) == 0) request.urgency = static_cast<std::uint8_t>(pick(32));
    static_cast<void>(manager::update_jobs(s_.session, request));
  }

  void purge() {
    if (jobs_.empty() || pick(3) != 0) return;
    manager::PurgeRequest request;
    if (pick(2) == 0) request.ids = {any_job(), any_job()};
    if (request.ids.empty()) request.num_limit = pick(60);
    request.batch = 1 + pick(3);
    manager::purge(s_.session, request);
  }

  void take_results() { static_cast<void>(manager::wait_waitable(s_.session, 1 + pick(3), 0)); }

  void kill_shell() {
    if (!s_.launcher.shells.empty()) s_.kill_shell(s_.launcher.shells.begin()->first);
  }

  // What is run around jobs; whatever that drained is back in use.
  void configure() {
    constexpr const char* kTexts[] = {
        "", "", "[jobs.epilog]\ncommand = '/bin/true'\n",
        "[jobs]\nprolog = { command = '/bin/true', drain = false }\nepilog = { command = '/bin/true' }\n",
        "[jobs.prolog]\ncommand = '/bin/true'\non-failure = 'requeue'\n"};
    load(kTexts[pick(5)]);
  }

  void load(const std::string& text) {
    manager::load_config(s_.session, document::ConfigSource({document::ConfigSource::File{"fq.toml", text}}),
                         false);
    manager::undrain_nodes(s_.session, "0-2", /*force=*/true);
  }

  void stop_or_start() {
    manager::set_queue(s_.session,
                       {pick(3) == 0 ? manager::QueueRequest::Verb::stop : manager::QueueRequest::Verb::start,
                        "", "because"});
  }

  Scenario& s_;
  std::mt19937 random_;
  std::vector<JobId> jobs_;
};

class ReplayProperty : public testing::TestWithParam<unsigned> {};

TEST_P(ReplayProperty, R16_6_stored_state_is_what_the_event_logs_say) {
  // After every hundred random acts, and once all jobs have ended, the whole-store check finds nothing.
  Scenario s(3, 4);
  RandomUser user(s, GetParam());
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 100; ++i) user.act();
    ASSERT_EQ(s.faults(), "") << "after " << (round + 1) * 100 << " acts of seed " << GetParam();
  }
  user.end_everything();
  ASSERT_EQ(s.faults(), "");
}

// All that is true in a store, a line each; what is of its place alone left out.
std::string truth(const manager::Session& session) {
  std::string all;
  manager::query(session, [&](const store::Reader& reader) {
    all.clear();
    for (const auto family : {store::Family::kvs, store::Family::instance}) {
      for (const auto at = reader.scan(family, "", ""); at->valid(); at->next()) {
        static const std::set<std::string, std::less<>> kOfItsPlace{"place", "clock", "store", "transaction"};
        if (family == store::Family::instance && kOfItsPlace.contains(at->key())) continue;
        all += fmt::format("{} = {}\n", at->key(), at->value());
      }
    }
  });
  return all;
}

TEST_P(ReplayProperty, a_dump_restores_all_that_is_true) {
  // Byte for byte, what is derived included; the store that is made of it is sound, and its running jobs have
  // failed.
  Scenario s(3, 4);
  RandomUser user(s, GetParam() + 100);
  for (int i = 0; i < 150; ++i) user.act();
  const TempDirectory directory;
  const std::string path = directory.path() + "/dump";
  const UniqueFd file = open_file(path, O_RDWR | O_CREAT);
  manager::dump(s.session, file.get(), path);
  ASSERT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  manager::Session other = s.session;
  other.store = directory.path() + "/store";
  manager::restore({other.store, file.get(), path}, other.caller);
  EXPECT_EQ(truth(other), truth(s.session));
  manager::adopt(other);
  std::string findings;
  manager::fsck(other, [&](const std::string& line) { findings += line + "\n"; });
  EXPECT_EQ(findings, "");
  user.end_everything();
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReplayProperty, testing::Range(1U, 9U));

}  // namespace
}  // namespace fq::test
