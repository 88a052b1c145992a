// Where `access.private` is set no request tells a user of jobs of others; each kind of the table is asked.

#include <gtest/gtest.h>

#include "manager/core/hidden_jobs.h"
#include "manager/engine/serve.h"
#include "manager/jobs/purge.h"
#include "manager/site/configure.h"
#include "process/tree/job_mark.h"
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

// Whether a text names the job in any form in which answers do.
bool names(const std::string& text, JobId id) {
  return text.find(notation::to_f58(id)) != std::string::npos ||
         text.find(notation::to_dec(id)) != std::string::npos ||
         text.find(notation::to_dothex(id)) != std::string::npos;
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
    const std::string said = answer(kind, about(kind, mine));
    EXPECT_FALSE(tells_of_others(said)) << said;
    for (const JobId id : theirs) EXPECT_FALSE(names(said, id)) << said;
  }
  for (const char* kind : {"list-jobs", "priorities", "suppose-priorities"}) {
    EXPECT_FALSE(tells_of_others(answer(kind, "{}")));
    for (const JobId id : theirs) EXPECT_FALSE(names(answer(kind, "{}"), id));
  }
  EXPECT_EQ(answer("find-job", about("find-job", theirs[0])),
            fmt::format("job {} does not exist", notation::to_f58(theirs[0])));
  EXPECT_EQ(answer("last-jobs", about("last-jobs", mine)), "{}");
  EXPECT_EQ(s.states({theirs[0], theirs[1], mine}), "R S S");
}

// A job behind others, for which what is free is reserved, and after which nodes are cleaned up.
TEST_F(Privacy, reasons_name_no_jobs_of_others) {
  configure("access.private = true");
  as(kUser);
  const std::string job = about("find-job", mine);
  EXPECT_NE(answer("list-jobs", "{}").find("behind another job"), std::string::npos)
      << answer("list-jobs", "{}");
  EXPECT_NE(answer("find-job", job).find("behind another job"), std::string::npos);
  as(kOwner);
  EXPECT_TRUE(names(answer("list-jobs", "{}"), theirs[1]));
}

TEST_F(Privacy, texts_that_are_stored_name_no_jobs_of_others_where_they_are_read) {
  configure("access.private = true");
  const std::string text =
      fmt::format("preempted for job {}, job {}, job failed, job fuzz, job", theirs[0], mine);
  const std::string log =
      fmt::format(R"({{"timestamp":1.5,"name":"preempt","context":{{"by":{},"mode":"cancel"}}}})"
                  "\n"
                  R"({{"timestamp":2.5,"name":"exception","context":{{"note":"preempted for job {}"}}}})"
                  "\n",
                  theirs[0].value, theirs[0]);
  std::string shown, shown_log;
  const auto read = [&](std::uint32_t uid) {
    as(uid);
    manager::query(s.session, [&](const store::Reader& reader) {
      manager::Rights rights(reader, s.session.caller);
      shown = manager::without_hidden_jobs(rights, text);
      shown_log = manager::eventlog_without_hidden_jobs(rights, log);
    });
  };
  read(kUser);
  EXPECT_EQ(shown, fmt::format("preempted for another job, job {}, job failed, job fuzz, job", mine));
  EXPECT_EQ(shown_log,
            R"({"timestamp":1.5,"name":"preempt","context":{"mode":"cancel"}})"
            "\n"
            R"({"timestamp":2.5,"name":"exception","context":{"note":"preempted for another job"}})"
            "\n");
  read(kOwner);
  EXPECT_EQ(shown, text);
  EXPECT_EQ(shown_log, log);
}

// Nor how it ended, nor that it was there.
TEST_F(Privacy, no_job_waits_for_a_job_of_another_user) {
  configure("access.private = true");
  as(kUser);
  const auto submitted_after = [&](JobId id) {
    return error_text([&] {
      return s.submit(Scenario::jobspec(
          1, 1, fmt::format(R"("dependencies":[{{"scheme":"afterany","value":"{}"}}])", id)));
    });
  };
  const auto none = [](JobId id) {
    return fmt::format("dependency 'afterany:{}': job {} does not exist", id, id);
  };
  EXPECT_EQ(submitted_after(theirs[0]), none(theirs[0]));
  EXPECT_EQ(submitted_after(JobId{7}), none(JobId{7}));
  as(kOwner);
  s.finish(theirs[0]);
  as(kUser);
  EXPECT_EQ(submitted_after(theirs[0]), none(theirs[0]));
  as(kOwner);
  request::PurgeRequest purge;
  purge.ids = {theirs[0]};
  static_cast<void>(manager::purge(s.session, purge));
  EXPECT_EQ(answer("find-job", about("find-job", theirs[0])), fmt::format("job {} was purged", theirs[0]));
  EXPECT_EQ(submitted_after(theirs[0]), "no error");
  as(kUser);
  EXPECT_EQ(submitted_after(theirs[0]), none(theirs[0]));
  for (const char* kind :
       {"find-job", "why", "follow", "wait-job", "raise", "update", "urgency", "time-left"}) {
    const std::string said = answer(kind, about(kind, theirs[0]));
    EXPECT_NE(said.find("does not exist"), std::string::npos) << kind << said;
    EXPECT_EQ(said.find("purged"), std::string::npos) << kind << said;
  }
}

TEST_F(Privacy, no_mark_makes_a_job_of_another_user_an_enclosing_one) {
  configure("access.private = true");
  as(kUser);
  const std::string mark = fmt::format(R"("environment":{{"{}":"{}"}})", process::kMarkName,
                                       process::job_mark(s.session.files().identity(), theirs[0]) + "1");
  const JobId inside = s.submit(Scenario::jobspec(4, 1, mark));
  const auto holds = [&] {
    return answer("why", about("why", inside)).find("inside which") != std::string::npos;
  };
  EXPECT_FALSE(holds()) << answer("why", about("why", inside));
  as(kOwner);
  EXPECT_TRUE(holds()) << answer("why", about("why", inside));
}

TEST_F(Privacy, jobs_of_others_are_not_counted) {
  configure("access.private = true");
  const auto counts = [&](std::string_view user) {
    const std::string said = answer("list-jobs", fmt::format(R"({{"filter":{{{}}},"counts":true}})", user));
    const std::size_t from = said.find("\"counts\"");
    return from == std::string::npos ? "" : said.substr(from, said.find("]]", from) + 2 - from);
  };
  as(kUser);
  EXPECT_EQ(counts(R"("userid":3000)"), "");
  EXPECT_EQ(counts(R"("userid":2000)"), R"("counts":[["S",1]])");
  EXPECT_EQ(counts(""), R"("counts":[["S",1]])");
  as(kOwner);
  EXPECT_EQ(counts(R"("userid":3000)"), R"("counts":[["R",1],["S",1]])");
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
