// Jobs that wait for one that ends: they are told in steps, however many and however long a chain they are.

#include "manager/core/dependants.h"

#include <gtest/gtest.h>

#include "job/apply.h"
#include "job/events.h"
#include "manager/core/post.h"
#include "manager/look/query.h"
#include "records/instance.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;

std::string waits_for(JobId id, const std::string& scheme) {
  return Scenario::jobspec(
      1, 1, fmt::format(R"("dependencies":[{{"scheme":"{}","value":"{}"}}])", scheme, notation::to_f58(id)));
}

std::vector<JobId> submit_copies(Scenario& s, const std::string& jobspec, std::uint32_t copies) {
  request::JobGroup request;
  request.jobspec.pieces = {jobspec};
  request.copies = notation::Idset::decode(fmt::format("1-{}", copies));
  return manager::submit(s.session, {request});
}

std::uint64_t transactions(const Scenario& s) {
  return store::rocks::Database::open(store::database_path(s.session.store), false).transaction_number();
}

std::map<std::string, std::uint64_t> counts(const Scenario& s) {
  std::map<std::string, std::uint64_t> counts;
  manager::query(s.session, [&](const store::Reader& reader) { counts = records::read_counts(reader, {}); });
  std::erase_if(counts, [](const auto& count) { return count.second == 0; });
  return counts;
}

using Counts = std::map<std::string, std::uint64_t>;

TEST(Dependants, many_are_told_in_steps) {
  // Those of a job that ended well wait for resources, those that wanted it to fail have ended: all of them,
  // in several transactions.
  Scenario s;
  const JobId first = s.submit();
  submit_copies(s, waits_for(first, "afterok"), 6000);
  submit_copies(s, waits_for(first, "afternotok"), 6000);
  const std::uint64_t before = transactions(s);
  s.finish(first);
  EXPECT_EQ(counts(s), (Counts{{"CD", 1}, {"F", 6000}, {"R", 4}, {"S", 5996}}));
  EXPECT_GE(transactions(s) - before, 3U);
}

TEST(Dependants, a_long_chain_ends_with_its_first) {
  // Each job wants the one before to succeed; the first is canceled, and all the others have failed.
  constexpr std::uint64_t kLong = 10'000;
  Scenario s;
  const JobId first = s.submit(Scenario::jobspec(), 0);
  manager::transact(s.session, [&](manager::Change& change) {
    JobId last = first;
    for (std::uint64_t i = 0; i < kLong; ++i) {
      manager::NewJob job;
      job.jobspec = waits_for(last, "afterok");
      job.facts.id = change.take_id();
      job::describe(job.facts, document::Jobspec::parse(job.jobspec));
      job.dependencies = {document::describe({document::DependencyKind::after_ok, last})};
      last = job.facts.id;
      manager::create(change, std::move(job));
    }
  });
  s.cancel(first);
  EXPECT_EQ(counts(s), (Counts{{"CA", 1}, {"F", kLong}}));
}

TEST(Dependants, a_tree_is_told_to_its_leaves_while_others_start) {
  // Each of those that are told has one of its own. What is told in steps keeps nobody from starting.
  constexpr std::uint64_t kWide = 4500;
  Scenario s;
  const JobId first = s.submit(Scenario::jobspec(), 0);
  manager::transact(s.session, [&](manager::Change& change) {
    const auto submit = [&](JobId on) {
      manager::NewJob job;
      job.jobspec = waits_for(on, "afterok");
      job.facts.id = change.take_id();
      job::describe(job.facts, document::Jobspec::parse(job.jobspec));
      job.dependencies = {document::describe({document::DependencyKind::after_ok, on})};
      const JobId id = job.facts.id;
      manager::create(change, std::move(job));
      return id;
    };
    for (std::uint64_t i = 0; i < kWide; ++i) submit(submit(first));
  });
  bool others_start = false;
  manager::transact(s.session, [&](manager::Change& change) {
    post(change, first, job::events::exception(change.now(), "cancel", 0, ""));
    EXPECT_TRUE(change.effects().dependants_left);
    others_start = !change.effects().pass_unfinished;
  });
  EXPECT_TRUE(others_start);
  EXPECT_EQ(counts(s), (Counts{{"CA", 1}, {"F", 2 * kWide}}));
}

}  // namespace
}  // namespace fq::test
