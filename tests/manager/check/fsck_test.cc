// The check of a whole store, and its repair: each kind of damage is found, told in a line, and made good.

#include "manager/check/fsck.h"

#include <functional>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "manager/check/repair.h"
#include "records/advance_reservations.h"
#include "records/instance.h"
#include "records/keys.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;
using store::Family;
namespace key = records::key;

class Fsck : public testing::Test {
 protected:
  ~Fsck() override {
    while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
  }

  void edit(const std::function<void(store::Transaction&)>& change) const {
    const auto lock = store::StoreLock::acquire(s.session.store, 10, "test");
    auto database = store::rocks::Database::open(store::database_path(s.session.store), /*create=*/false);
    store::rocks::Transaction transaction = database.begin();
    change(transaction);
    transaction.commit();
    database.close();
  }
  static std::string first_key(const store::Reader& reader, Family family, std::string_view prefix) {
    return std::string{reader.scan_prefix(family, prefix)->key()};
  }
  static void append_line(std::string& out, const std::string& line) { out += line + '\n'; }

  // What is found, a line each.
  std::string check() {
    std::string out;
    manager::fsck(s.session, [&](const std::string& line) { append_line(out, line); });
    return out;
  }
  // What repair says, without the name of the directory of what is put aside.
  std::string repair() {
    std::string out;
    const std::string aside = manager::aside_directory(s.session);
    manager::repair(s.session, aside, [&](const std::string& line) { append_line(out, line); });
    for (std::size_t at = out.find(aside); at != std::string::npos; at = out.find(aside))
      out.replace(at, aside.size(), "ASIDE");
    EXPECT_EQ(check(), "");
    return out;
  }
  std::string aside(const std::string& name) const {
    return read_file(manager::aside_directory(s.session) + "/" + name);
  }
  static std::string name(JobId id) { return notation::to_f58(id); }

  Scenario s{2, 4, 1};
};

TEST_F(Fsck, what_is_derived_is_found_and_made_anew) {
  // Each by itself; nothing true is touched, and a running job goes on.
  const JobId runs = s.submit(8), first = s.submit(8), second = s.submit(8);
  const std::string a = name(runs), b = name(first), c = name(second);
  struct Damage {
    std::function<void(store::Transaction&)> make;
    std::string finding;
  };
  const auto put = [](Family family, const std::string& k, const std::string& value) {
    return [=](store::Transaction& t) { t.put(family, k, value); };
  };
  const std::vector<Damage> damages{
      {[](store::Transaction& t) {
         t.erase(Family::instance, first_key(t, Family::instance, key::kPoolPrefix));
       },
       "the pool has nothing allocated, running jobs and housekeeping hold rank[0-1]/core[0-3]\n"},
      {put(Family::instance, key::count(s.session.caller.uid, "S", ""), "7"),
       fmt::format("the counter of user {}, S is 7, not 2\n", s.session.caller.uid)},
      {[](store::Transaction& t) {
         t.erase(Family::instance, first_key(t, Family::instance, key::kClassPrefix));
       },
       "the class of job " + b + " is missing\n"},
      {put(Family::jobs, key::job(second), "garbage"), {}},
      {[&](store::Transaction& t) { t.erase(Family::jobs, key::job(second)); }, {}},
      {[&](store::Transaction& t) { t.erase(Family::index, key::user(s.session.caller.uid, second)); }, {}},
      {put(Family::index, key::dependant(runs, second), ""), {}},
      {put(Family::index, "x", ""), "index entry 'x' is left over\n"},
      {put(Family::instance, key::memo(JobId{4711}), "{}"),
       "job " + name(JobId{4711}) + " has a memo beside its log and is not active\n"},
      {put(Family::instance, std::string{key::kSequence}, "1 1"),
       "job " + c + " has an id after the sequence\n"},
      {put(Family::instance, std::string{key::kPurgedCount}, "3"), "0 jobs were purged, 3 are counted\n"},
      {put(Family::jobs, key::job(JobId{4711}), "x"), {}},
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    edit(damages[i].make);
    const std::string found = check();
    EXPECT_NE(found, "") << i;
    if (!damages[i].finding.empty()) {
      EXPECT_EQ(found, damages[i].finding);
    }
    EXPECT_EQ(repair(), "") << i;
    EXPECT_EQ(s.states({runs, first, second}), "R S S") << i;
  }
  EXPECT_FALSE(exists(manager::aside_directory(s.session)));
}

TEST_F(Fsck, reservations_that_cannot_be_used_are_named_and_removed) {
  // The next one gets a number that none had.
  document::AdvanceReservation good;
  good.number = 1;
  good.ranks = notation::Idset::decode("0");
  good.start = s.clock.now() + 1000;
  good.end = good.start + 10;
  document::AdvanceReservation reversed = good;
  reversed.number = 3;
  std::swap(reversed.start, reversed.end);
  edit([&](store::Transaction& t) {
    records::write_advance_reservation(t, good);
    t.put(Family::instance, key::reserve(2), R"({"ranks":"0-"})");
    records::write_advance_reservation(t, reversed);
    t.put(Family::instance, std::string{key::kReserveLast}, "2");
  });
  const std::string unread = error_text([] { return document::decode_reservation(2, R"({"ranks":"0-"})"); });
  const std::string found[] = {"reservation 2: it cannot be read: " + unread,
                               "reservation 3: it ends before it begins",
                               "reservation 3 has a number after the last one, 2"};
  std::string check_says, repair_says;
  for (const std::string& line : found) {
    append_line(check_says, line);
    append_line(repair_says, line + "; one that cannot be used is removed");
  }
  EXPECT_EQ(check(), check_says);
  EXPECT_EQ(repair(), repair_says);
  std::string left;
  edit([&](store::Transaction& t) {
    for (const auto& each : records::read_advance_reservations(t)) left += fmt::format("{} ", each.number);
    left += fmt::format("then {}", records::take_reservation_number(t));
  });
  EXPECT_EQ(left, "1 then 4");
}

TEST_F(Fsck, an_unfinished_submission_is_removed) {
  // A log that ends after `submit` alone is no job (semantics of RFC 21).
  static_cast<void>(s.submit(Scenario::jobspec(), 0));  // has a greater id
  const JobId id{4711};
  edit([&](store::Transaction& t) {
    t.put(Family::kvs, key::jobspec(id), Scenario::jobspec());
    t.put(Family::kvs, key::eventlog(id),
          R"({"timestamp":1.0,"name":"submit","context":{"userid":0,"urgency":16,"flags":0,"version":1}})"
          "\n");
  });
  EXPECT_EQ(check(), "job " + name(id) + ": its submission was not finished\n");
  EXPECT_EQ(repair(), "job " + name(id) + ": removed: its submission was not finished\n");
  EXPECT_EQ(error_text([&] { return s.document(id, "jobspec"); }), "job " + name(id) + " does not exist");
}

TEST_F(Fsck, of_a_damaged_log_the_beginning_is_kept) {
  // The job has failed: nobody can say what became of it. What there was is put aside.
  const JobId waits = s.submit(Scenario::jobspec(), 0), ended = s.submit();
  s.finish(ended);
  edit([&](store::Transaction& t) {
    for (const JobId id : {waits, ended}) {
      const std::string log = t.get(Family::kvs, key::eventlog(id)).value();
      t.put(Family::kvs, key::eventlog(id), log + "{\"timestamp\":\n");
    }
  });
  const std::string found = check();
  EXPECT_NE(found.find("job " + name(waits) + ": eventlog: line "), std::string::npos) << found;
  const std::string said = repair();
  EXPECT_NE(said.find("job " + name(waits) + ": its event log was cut, and it has failed: "),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("; what there was is in 'ASIDE/jobs'\n"), std::string::npos) << said;
  EXPECT_EQ(s.states({waits, ended}), "F CD");
  EXPECT_NE(aside("jobs").find(fmt::format("{{\"id\":{},\"documents\":{{\"eventlog\":\"", waits.value)),
            std::string::npos);
}

TEST_F(Fsck, a_job_without_jobspec_is_given_up) {
  // Its documents are put aside before they are removed; a record without documents goes, which is told, too.
  const JobId one = s.submit(Scenario::jobspec(), 0), other = s.submit(Scenario::jobspec(), 0);
  edit([&](store::Transaction& t) {
    t.put(Family::kvs, key::jobspec(one), "{\"version\":");
    t.erase(Family::kvs, key::jobspec(other));
    t.erase(Family::kvs, key::eventlog(other));
  });
  const std::string found = check();
  EXPECT_NE(found.find("job " + name(other) + ": it has a record and no documents\n"), std::string::npos)
      << found;
  const std::string said = repair();
  EXPECT_TRUE(said.starts_with("job " + name(one) + ": given up: jobspec: ")) << said;
  EXPECT_TRUE(said.ends_with("; what there was of it is in 'ASIDE/jobs'\njob " + name(other) +
                             ": given up: its documents are lost\n"))
      << said;
  EXPECT_EQ(split(aside("jobs"), '\n').size(), 2U);
  EXPECT_EQ(error_text([&] { return s.document(one, "jobspec"); }), "job " + name(one) + " does not exist");
  EXPECT_EQ(error_text([&] { return s.document(other, "jobspec"); }),
            "job " + name(other) + " does not exist");
}

TEST_F(Fsck, a_repair_that_was_cut_off_is_gone_on_with) {
  // By whatever command comes: until then the store counts as one of an older format.
  const JobId id = s.submit(Scenario::jobspec(), 0);
  edit([&](store::Transaction& t) {
    records::begin_migration(t);
    t.erase(Family::jobs, key::job(id));
  });
  EXPECT_EQ(error_text([&] { return check(); }),
            fmt::format("the store has format {}: an older fq made it, or a repair was cut off (any other "
                        "command brings it forward, `fq jobs` too)",
                        records::kFormatVersion - 1));
  s.tick();
  EXPECT_EQ(check(), "");
  EXPECT_EQ(s.states({id}), "S");
}

}  // namespace
}  // namespace fq::test
