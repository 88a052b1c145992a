// Purging: which jobs go, what goes with them, and what stays for dependencies.

#include "manager/jobs/purge.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/file_lock.h"
#include "manager/jobs/finish.h"
#include "manager/look/query.h"
#include "manager/look/wait.h"
#include "manager/run/guest_data.h"
#include "store/reader.h"
#include "store/store_lock.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;

class Purge : public testing::Test {
 protected:
  // A job that ended with this wait status, a second after the one before.
  JobId ended(int status = 0) {
    const JobId id = s.submit();
    s.clock.advance(1);
    s.finish(id, status);
    return id;
  }
  std::string purge(const manager::PurgeRequest& request) {
    const auto reply = manager::purge(s.session, request);
    std::string out = fmt::format("{} purged, {} left", reply.purged, reply.remaining);
    for (const auto& refusal : reply.refusals) out += std::string{"; "} + refusal.why.what();
    return out;
  }
  static manager::PurgeRequest of(std::vector<JobId> ids) {
    manager::PurgeRequest request;
    request.ids = std::move(ids);
    return request;
  }
  // How many keys of the KVS belong to the job.
  std::size_t documents(JobId id) const {
    std::size_t n = 0;
    manager::query(s.session, [&](const store::Reader& reader) {
      n = 0;
      const std::string prefix = "job." + notation::to_dothex(id);
      for (const auto at = reader.scan_prefix(store::Family::kvs, prefix); at->valid(); at->next()) ++n;
    });
    return n;
  }
  Scenario s;
};

TEST_F(Purge, R16_19_a_purged_job_leaves_no_document) {
  // Nothing under its key, no record, no file; the jobs beside it keep all.
  const JobId a = ended(), b = ended();
  make_directory(s.session.files().data(a));
  write_file(s.session.files().data(a) + "/guest.output", "much");
  EXPECT_EQ(purge(of({a})), "1 purged, 1 left");
  EXPECT_EQ(documents(a), 0U);
  EXPECT_FALSE(exists(s.session.files().data(a)));
  EXPECT_GE(documents(b), 3U);
  EXPECT_EQ(s.states({b}), "CD");
}

TEST_F(Purge, only_jobs_that_have_ended_are_purged) {
  // Each refusal is told; the others go.
  const JobId runs = s.submit(), done = ended(), unknown{123};
  EXPECT_EQ(purge(of({runs, done, unknown})),
            fmt::format("1 purged, 0 left; job {} has not ended; job {} does not exist",
                        notation::to_f58(runs), notation::to_f58(unknown)));
  s.finish(runs);
}

TEST_F(Purge, a_job_that_is_named_twice_is_purged_once) {
  const JobId id = ended();
  EXPECT_EQ(purge(of({id, id})), "1 purged, 0 left");
}

TEST_F(Purge, an_age_limit_purges_those_that_ended_before) {
  const JobId old = ended();
  s.clock.advance(100);
  const JobId young = ended();
  manager::PurgeRequest request;
  request.age_limit_s = 50;
  EXPECT_EQ(purge(request), "1 purged, 1 left");
  EXPECT_EQ(documents(old), 0U);
  EXPECT_EQ(s.states({young}), "CD");
  request.age_limit_s = 1e12;  // before the epoch
  EXPECT_EQ(purge(request), "0 purged, 1 left");
}

TEST_F(Purge, a_number_limit_purges_the_oldest) {
  // In portions as small as one, with the same result.
  std::vector<JobId> ids;
  for (int i = 0; i < 7; ++i) ids.push_back(ended());
  manager::PurgeRequest request;
  request.num_limit = 3;
  request.dry_run = true;
  EXPECT_EQ(purge(request), "4 purged, 3 left");
  EXPECT_EQ(s.states({ids[0]}), "CD");
  request.dry_run = false;
  request.batch = 1;
  EXPECT_EQ(purge(request), "4 purged, 3 left");
  EXPECT_EQ(documents(ids[3]), 0U);
  EXPECT_EQ(s.states({ids[4], ids[5], ids[6]}), "CD CD CD");
  request.num_limit = 10;
  EXPECT_EQ(purge(request), "0 purged, 3 left");
  request.num_limit = 0;
  EXPECT_EQ(purge(request), "3 purged, 0 left");
}

TEST_F(Purge, a_dependency_on_a_purged_job_is_settled_by_how_it_ended) {
  // As if the job were still there, the words of a refusal included.
  const JobId good = ended(), bad = ended(256), held = s.submit(Scenario::jobspec(), 0);
  s.cancel(held);
  const auto depending = [&](const char* scheme, JobId on) {
    return error_text([&] {
      const JobId id = s.submit(Scenario::jobspec(
          1, 1,
          fmt::format(R"("dependencies":[{{"scheme":"{}","value":"{}"}}])", scheme, notation::to_f58(on))));
      EXPECT_EQ(s.states({id}), "R");
      s.finish(id);
    });
  };
  const auto all = [&] {
    std::string out;
    for (const JobId on : {good, bad, held}) {
      for (const char* scheme : {"after", "afterany", "afterok", "afternotok", "afterexcept"}) {
        out += fmt::format("{}: {}\n", scheme, depending(scheme, on));
      }
    }
    return out;
  };
  const std::string before = all();
  EXPECT_EQ(purge(of({good, bad, held})).substr(0, 8), "3 purged");
  EXPECT_EQ(all(), before);
  EXPECT_NE(before.find("ended as CANCELED"), std::string::npos);
}

TEST_F(Purge, a_purged_waitable_job_is_not_waited_for) {
  request::JobGroup request;
  request.jobspec = request::JobspecTemplate::plain(Scenario::jobspec());
  request.flags = job::kFlagWaitable;
  const JobId id = manager::submit(s.session, {request}).at(0);
  s.finish(id);
  EXPECT_EQ(purge(of({id})), "1 purged, 0 left");
  EXPECT_EQ(manager::wait_waitable(s.session, 1, 0)->size(), 0U);
}

TEST_F(Purge, only_the_owner_purges) {
  const JobId id = ended();
  s.session.caller = {4711, 4711};
  for (const bool dry_run : {false, true}) {
    manager::PurgeRequest request = of({id});
    request.dry_run = dry_run;
    EXPECT_EQ(error_text([&] { purge(request); }), "only the owner may purge jobs");
  }
  s.session.caller = manager::Credential::of_process();
  EXPECT_EQ(s.states({id}), "CD");
}

TEST_F(Purge, an_archive_needs_no_lock_for_files) {
  // One that was altered is told of at once, whoever holds the store.
  const JobId id = s.submit();
  const meeting::JobFiles files = s.session.files();
  files.create_guest(id);
  write_file(files.guest(id) + "/output", std::string(manager::kMaxImportBytes + 1, 'x'));
  manager::transact(s.session, [&](manager::Change& change) {
    manager::FinishRequest end{id, s.launcher.shells.at(id).plan.attempt, 0, {}, change.now(), {}};
    end.guest = manager::collect_guest(files, id);
    manager::finish_job(change, end);
  });
  s.launcher.shells.erase(id);
  const std::string moved = manager::data_path(files, id, "output");
  write_file(moved, "short");
  manager::PurgeRequest request = of({id});
  request.archive = s.session.store + "/../archive";
  s.session.lock_timeout_s = 0.1;
  const auto held =
      FileLock::acquire(store::lock_path(s.session.store), LockMode::exclusive, s.session.lock_timeout_s);
  EXPECT_EQ(error_text([&] { purge(request); }),
            fmt::format(
                "job {}: the file of its guest.output has 5 bytes, not 262145 (fq fsck --repair gives it up)",
                notation::to_f58(id)));
  EXPECT_FALSE(exists(*request.archive));
  write_file(moved, std::string(manager::kMaxImportBytes + 1, 'x'));
}

TEST_F(Purge, files_that_a_crash_left_behind_go_with_the_next_purge) {
  // Those of jobs that are there stay.
  const JobId stray{4711}, kept = ended();
  for (const JobId id : {stray, kept}) make_directory(s.session.files().data(id));
  manager::PurgeRequest request;
  request.num_limit = 1;
  EXPECT_EQ(purge(request), "0 purged, 1 left");
  EXPECT_FALSE(exists(s.session.files().data(stray)));
  EXPECT_TRUE(exists(s.session.files().data(kept)));
}

}  // namespace
}  // namespace fq::test
