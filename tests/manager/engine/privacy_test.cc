// Where `access.private` is set no request tells a user of jobs of others; each kind of the table is asked.

#include <gtest/gtest.h>

#include "manager/engine/serve.h"
#include "manager/site/configure.h"
#include "request/codec.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;

// A store of user 1000, with a job of user 3000 that runs and one that waits, and one of user 2000 behind
// them.
class Privacy : public testing::Test {
 protected:
  static constexpr std::uint32_t kOwner = 1000, kUser = 2000, kOther = 3000;

  Privacy() : s(manager::Credential{kOwner, kOwner}) {
    as(kOther);
    const std::string secret = R"("job":{"name":"secret-name"})";
    theirs = {s.submit(Scenario::jobspec(4, 1, secret)), s.submit(Scenario::jobspec(4, 1, secret))};
    as(kUser);
    mine = s.submit(Scenario::jobspec(4));
    EXPECT_EQ(s.states({theirs[0], theirs[1], mine}), "R S S");
  }
  ~Privacy() override {
    as(kOwner);
    while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
  }

  void as(std::uint32_t uid) { s.session.caller = {uid, uid}; }
  void configure(const std::string& toml) {
    as(kOwner);
    static_cast<void>(manager::load_config(s.session, document::ConfigSource({{"fq.toml", toml}}), true));
  }

  // All that is said in answer: the reply with its streams, its rows, or the refusal.
  std::string answer(std::string_view name, const std::string& text) const {
    const std::size_t at = request::find_kind(name).value();
    const request::RequestKind& kind = request::kind_at(at);
    const std::shared_ptr<void> asked = kind.decode_request(text);
    std::string said;
    try {
      if (kind.has_rows) {
        const auto rows = kind.make_rows({[&](std::string_view head) { said += head; },
                                          [&](std::string_view row) {
                                            said += row;
                                            return true;
                                          },
                                          {}});
        manager::serve(s.session, at, asked.get(), nullptr, rows.get());
        return said;
      }
      const std::shared_ptr<void> reply = kind.make_reply();
      manager::serve(s.session, at, asked.get(), reply.get(), nullptr);
      std::vector<request::ByteStream> streams;
      said = kind.encode_reply(reply.get(), streams);
      for (request::ByteStream& stream : streams) said += stream.read_all();
    } catch (const Error& refusal) {
      said = refusal.what();
    }
    return said;
  }

  Scenario s;
  std::vector<JobId> theirs;
  JobId mine;
};

bool tells_of_others(const std::string& text) {
  return text.find("secret") != std::string::npos || text.find("3000") != std::string::npos;
}

// What is asked of a job, by the kind of request; `{}` for all others, of which none says more.
std::string about(std::string_view kind, JobId id) {
  const std::string job = fmt::format("{}", id.value);
  const auto one = [&](std::string_view more = "") { return fmt::format(R"({{"id":{}{}}})", job, more); };
  const auto some = [&](std::string_view more = "") { return fmt::format(R"({{"ids":[{}]{}}})", job, more); };
  if (kind == "raise") return some(R"(,"dry_run":true)");
  if (kind == "list-jobs" || kind == "require-jobs" || kind == "instances" || kind == "priorities" ||
      kind == "wait-jobs")
    return some();
  if (kind == "kill") return some(R"(,"signal":10,"dry_run":true)");
  if (kind == "urgency") return some(R"(,"urgency":3)");
  if (kind == "update") return some(R"(,"updates":"{\"attributes.system.job.name\":\"x\"}","dry_run":true)");
  if (kind == "memo") return one(R"(,"memo":"{\"a\":1}")");
  if (kind == "document") return one(R"(,"key":"jobspec")");
  if (kind == "follow") return one(R"(,"count_reasons":10)");
  if (kind == "wait-job") return one(R"(,"timeout_s":0)");
  if (kind == "find-job" || kind == "time-left" || kind == "tasks" || kind == "why" ||
      kind == "document-keys" || kind == "take-result")
    return one();
  if (kind == "last-jobs") return R"({"userid":3000,"count":10})";
  if (kind == "watch") return fmt::format(R"({{"jobs":[{{"id":{}}}],"all":true}})", job);
  if (kind == "wait-waitable") return R"({"timeout_s":0})";
  if (kind == "wait-queue") return R"({"timeout_s":0})";
  return "{}";
}

TEST_F(Privacy, no_request_tells_of_jobs_of_others) {
  configure("access.private = true");
  as(kUser);
  for (std::size_t at = 0; at < request::kKinds; ++at) {
    const std::string_view kind = request::kind_at(at).name;
    SCOPED_TRACE(kind);
    for (const JobId id : theirs)
      EXPECT_FALSE(tells_of_others(answer(kind, about(kind, id)))) << answer(kind, about(kind, id));
    if (kind == "wait-jobs") continue;  // it would wait for it
    EXPECT_FALSE(tells_of_others(answer(kind, about(kind, mine)))) << answer(kind, about(kind, mine));
  }
  for (const char* kind : {"list-jobs", "priorities", "suppose-priorities"})
    EXPECT_FALSE(tells_of_others(answer(kind, "{}")));
  EXPECT_EQ(answer("find-job", about("find-job", theirs[0])),
            fmt::format("job {} does not exist", notation::to_f58(theirs[0])));
  EXPECT_EQ(answer("last-jobs", about("last-jobs", mine)), "{}");
  EXPECT_EQ(s.states({theirs[0], theirs[1], mine}), "R S S");
}

TEST_F(Privacy, owner_and_operators_see_all_and_everybody_does_where_it_is_not_set) {
  constexpr std::array kTell{"list-jobs", "find-job", "watch", "follow", "wait-job", "priorities"};
  const auto all_tell = [&] {
    for (const char* kind : kTell) {
      const bool waits = std::string_view{kind} == "priorities";
      const std::string said = answer(kind, about(kind, theirs[waits ? 1 : 0]));
      EXPECT_TRUE(tells_of_others(said) || said.find("has not ended") != std::string::npos) << kind << said;
    }
    EXPECT_TRUE(tells_of_others(answer("list-jobs", "{}")));
  };
  as(kUser);
  all_tell();
  configure("access = { private = true, operators = ['ada'] }");
  all_tell();
  as(kUser);
  s.session.caller.names = std::make_shared<const process::Names>(process::Names{"ada", {}});
  all_tell();
}

TEST_F(Privacy, queues_count_the_jobs_of_all) {
  configure("access.private = true");
  as(kUser);
  const std::string status = answer("queue-status", "{}");
  EXPECT_NE(status.find(R"("waiting":2,"running":1)"), std::string::npos) << status;
}

}  // namespace
}  // namespace fq::test
