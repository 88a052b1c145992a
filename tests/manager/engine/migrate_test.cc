// A store that an older fq made: tests/data/store-1 is the database of one of format 1, from before jobs'
// names were indexed. Three of its jobs have ended, two of the same name wait in a stopped queue, one waits
// for its time.

#include "manager/engine/migrate.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "records/instance.h"
#include "records/keys.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"
#include "support/error_text.h"
#include "support/scenario.h"
#include "support/test_data.h"

namespace fq::test {
namespace {

using notation::JobId;
namespace fs = std::filesystem;

// The store of a scenario, replaced by the old one.
class Migrate : public testing::Test {
 protected:
  Migrate() {
    s.session.caller = {0, 0};
    const std::string database = store::database_path(s.session.store);
    remove_tree(database);
    fs::copy(test_data("store-1"), database);
    for (const auto& entry : fs::directory_iterator(database)) {
      fs::permissions(entry.path(), fs::perms::owner_read | fs::perms::owner_write);
    }
  }

  // Name and status of every job, by id.
  std::string jobs() {
    std::string out;
    manager::query(s.session, [&](const store::Reader& reader) {
      out.clear();
      for (const auto at = reader.scan(store::Family::jobs, "", ""); at->valid(); at->next()) {
        const auto job = records::find_job(reader, records::key::job_of(at->key())).value();
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", job.name, job::status_abbreviation(job));
      }
    });
    return out;
  }
  std::string format() {
    std::string text;
    manager::query(s.session, [&](const store::Reader& reader) {
      text = reader.get(store::Family::instance, records::key::kFormat).value_or("");
    });
    return text;
  }

  Scenario s{2, 4, 1};
};

constexpr const char* kJobs =
    "done CD, fails F, sh F, night S, night S, held CA, after F, far D, true S, true S, true S";

TEST_F(Migrate, a_command_that_reads_brings_the_store_forward) {
  // Nothing is lost, and what is derived is as if this fq had written it.
  EXPECT_EQ(jobs(), kJobs);
  EXPECT_EQ(format(), fmt::format("{}", records::kFormatVersion));
  EXPECT_EQ(s.faults(), "");
}

TEST_F(Migrate, what_goes_on_is_told) {
  // To the user who waits for it, and to others who wait for the lock.
  std::string told;
  s.session.notices.migrating = [&](std::uint64_t done, std::uint64_t total) {
    told += fmt::format("{}/{}: {}\n", done, total,
                        error_text([&] { return store::StoreLock::acquire(s.session.store, 0, "other"); }));
  };
  s.session.command = "fq-jobs";
  EXPECT_EQ(jobs(), kJobs);
  const std::string locked = fmt::format(
      "the store '{}' stayed locked for 0 s by pid {} (fq-jobs, which brings "
      "the store to the present format: ",
      s.session.store, ::getpid());
  EXPECT_EQ(told, "0/11: " + locked + "0 of 11 jobs)\n11/11: " + locked + "11 of 11 jobs)\n");
  EXPECT_EQ(store::lock_holder(s.session.store), fmt::format("pid {} (fq-jobs)", ::getpid()));
}

TEST_F(Migrate, old_jobs_count_for_what_is_new) {
  // Singletons find the names of jobs that were there before.
  const JobId id = s.submit(Scenario::jobspec(
      1, 1, R"("job":{"name":"night"},"dependencies":[{"scheme":"singleton","value":""}])"));
  EXPECT_EQ(s.states({id}), "D");
  EXPECT_EQ(s.faults(), "");
}

TEST_F(Migrate, one_that_was_cut_off_is_begun_again) {
  // At any point after its beginning; until it is whole the store counts as of the old format.
  {
    const auto lock = store::StoreLock::acquire(s.session.store, 10, "test");
    auto database = store::rocks::Database::open(store::database_path(s.session.store), false);
    store::rocks::Transaction transaction = database.begin();
    records::begin_migration(transaction);
    EXPECT_EQ(transaction.get(store::Family::instance, records::key::kFormat),
              fmt::format("{} from 1", records::kFormatVersion));
    EXPECT_EQ(records::read_store_info(transaction).format, 1U);
    std::vector<std::string> keys;
    for (const auto at = transaction.scan_prefix(store::Family::index, "p"); at->valid(); at->next()) {
      keys.emplace_back(at->key());
    }
    for (const std::string& key : keys) transaction.erase(store::Family::index, key);
    transaction.commit();
  }
  s.tick();
  EXPECT_EQ(jobs(), kJobs);
  EXPECT_EQ(format(), fmt::format("{}", records::kFormatVersion));
}

TEST_F(Migrate, a_store_whose_logs_were_files_gets_a_journal) {
  // A program that knows of no journal sees from then on that the store is not for it: in a log that is a
  // file.
  const std::string journal = store::database_path(s.session.store) + "/journal";
  jobs();
  const auto commit = [&] {
    const auto lock = store::StoreLock::acquire(s.session.store, 10, "test");
    auto database = store::rocks::Database::open(store::database_path(s.session.store), false);
    store::rocks::Transaction transaction = database.begin();
    transaction.put(store::Family::instance, records::key::kFormat, "2");
    transaction.commit_to_tables();
  };
  commit();
  fs::remove(journal);
  commit();
  EXPECT_FALSE(exists(journal));
  EXPECT_EQ(jobs(), kJobs);
  EXPECT_TRUE(exists(journal));
  fs::remove(journal);
  EXPECT_EQ(format(), fmt::format("{}", records::kFormatVersion));
  EXPECT_EQ(jobs(), kJobs);
}

TEST_F(Migrate, a_newer_store_is_refused) {
  // Also one that a newer fq has begun to migrate.
  const std::string next = fmt::format("{}", records::kFormatVersion + 1);
  for (const std::string& newer : {next, next + " from 1"}) {
    {
      const auto lock = store::StoreLock::acquire(s.session.store, 10, "test");
      auto database = store::rocks::Database::open(store::database_path(s.session.store), false);
      store::rocks::Transaction transaction = database.begin();
      transaction.put(store::Family::instance, records::key::kFormat, newer);
      transaction.commit();
    }
    EXPECT_EQ(error_text([&] { return jobs(); }),
              fmt::format("the store has format {}, made by a newer fq; this fq reads formats up to {}", next,
                          records::kFormatVersion));
    const auto lock = store::StoreLock::acquire(s.session.store, 10, "test");
    auto database = store::rocks::Database::open(store::database_path(s.session.store), false);
    store::rocks::Transaction transaction = database.begin();
    transaction.put(store::Family::instance, records::key::kFormat, "1");
    transaction.commit();
  }
}

}  // namespace
}  // namespace fq::test
