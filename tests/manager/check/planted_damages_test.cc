// Damages of every kind of record, each planted by itself in a store that has one of all: each is found, and
// what can be made good is, after which the store is sound.

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "manager/accounts/accounts_fixture.h"
#include "manager/check/fsck.h"
#include "manager/check/repair.h"
#include "manager/jobs/memo.h"
#include "manager/jobs/purge.h"
#include "manager/site/advance_reservation.h"
#include "manager/site/drain.h"
#include "records/keys.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"

namespace fq::test {
namespace {

using store::Family;
namespace key = records::key;

constexpr const char* kConfiguration = R"(
[policy]
jobspec.defaults.system = { queue = "batch", duration = "1h" }
limits.per-association = { max-cores = 12 }
[queues.batch]
[queues.other]
[qos.long]
limits = { max-cores = 16 }
[exec]
kill-timeout = "3s"
[jobs]
inactive-age-limit = "30d"
[access]
private = true
[log]
max-bytes = 100000
)";

class StoreOfAll : public Accounts {
 public:
  StoreOfAll() {
    EXPECT_EQ(load(kConfiguration), "no error");
    BankEdit root;
    root.name = "root";
    EXPECT_EQ(edit([&](AccountBook& book) { book.add_bank(root); }), "no error");
    add_bank("physics", 1);
    add_user(user("ada", "physics"));
    ended = submit_as("ada");
    s.clock.advance(kHour_s / 2);
    s.finish(ended);
    gone = submit_as("ada");
    s.finish(gone);
    request::PurgeRequest purge;
    purge.ids = {gone};
    static_cast<void>(manager::purge(s.session, purge));
    runs = submit_as("ada", R"("qos":"long")", 8);
    waits = submit_as("ada", R"("job":{"name":"one"})", 8);
    depends = submit_as("ada", fmt::format(R"("dependencies":[{{"scheme":"afterok","value":"{}"}}])",
                                           notation::to_f58(runs)));
    begins = submit_as("ada", fmt::format(R"("dependencies":[{{"scheme":"begin-time","value":"{}"}}])",
                                          s.clock.now() + kHour_s));
    manager::add_memo(s.session, {waits, R"({"a":1})", true});
    manager::drain_nodes(s.session, {"3", "broken", {}});
    set(Verb::stop, "other", "later");
    request::ReserveRequest reserve;
    reserve.nodes = "node0";
    reserve.start = s.clock.now() + 100 * kHour_s;
    reserve.duration = kHour_s;
    static_cast<void>(manager::reserve_nodes(s.session, reserve));
    EXPECT_EQ(check(), "");
  }

  void change(const std::function<void(store::Transaction&)>& edits) const {
    const auto lock = store::StoreLock::acquire(s.session.store, 10, "test");
    auto database = store::rocks::Database::open(store::database_path(s.session.store), /*create=*/false);
    store::rocks::Transaction transaction = database.begin();
    edits(transaction);
    transaction.commit();
    database.close();
  }
  std::string check() {
    std::string out;
    manager::fsck(s.session, [&](const std::string& line) { out += line + '\n'; });
    return out;
  }
  std::string repair() {
    std::string out;
    manager::repair(s.session, manager::aside_directory(s.session),
                    [&](const std::string& line) { out += line + '\n'; });
    return out;
  }

  void end_shells() {
    while (!s.launcher.shells.empty()) {
      const JobId id = s.launcher.shells.begin()->first;
      try {
        s.finish(id);
      } catch (const Error&) {
      }
      s.launcher.shells.erase(id);
    }
  }

  JobId ended, gone, runs, waits, depends, begins;

 private:
  void TestBody() override {}
};

enum class How { erased, garbage };

// The first key of a family with a prefix.
std::string first(const store::Reader& reader, Family family, std::string_view prefix) {
  const auto at = reader.scan_prefix(family, prefix);
  EXPECT_TRUE(at->valid()) << "nothing begins with " << prefix;
  return at->valid() ? std::string{at->key()} : std::string{};
}

TEST(PlantedDamages, each_is_found_and_what_can_be_is_repaired) {
  struct Damage {
    const char* what;
    Family family;
    std::function<std::string(const StoreOfAll&)> prefix;  ///< of the key, the first of those that begin so
    How how;
    bool stays = false;  ///< nobody can make it good
  };
  const std::vector<Damage> damages{
      {"job record", Family::jobs, [](const StoreOfAll& s) { return key::job(s.waits); }, How::garbage},
      {"job record, lost", Family::jobs, [](const StoreOfAll& s) { return key::job(s.runs); }, How::erased},
      {"jobspec", Family::kvs, [](const StoreOfAll& s) { return key::jobspec(s.waits); }, How::garbage},
      {"jobspec, lost", Family::kvs, [](const StoreOfAll& s) { return key::jobspec(s.begins); }, How::erased},
      {"event log", Family::kvs, [](const StoreOfAll& s) { return key::eventlog(s.depends); }, How::garbage},
      {"event log, lost", Family::kvs, [](const StoreOfAll& s) { return key::eventlog(s.ended); },
       How::erased},
      {"R", Family::kvs, [](const StoreOfAll& s) { return key::r(s.ended); }, How::garbage, true},
      {"index of those that wait", Family::index, [](const StoreOfAll&) { return std::string{"p"}; },
       How::erased},
      {"index of states", Family::index, [](const StoreOfAll&) { return std::string{"s"}; }, How::erased},
      {"index of users", Family::index, [](const StoreOfAll&) { return std::string{"u"}; }, How::erased},
      {"index of dependants", Family::index, [](const StoreOfAll&) { return std::string{"d"}; }, How::erased},
      {"index of times", Family::index, [](const StoreOfAll&) { return std::string{"t"}; }, How::erased},
      {"index of ends", Family::index, [](const StoreOfAll&) { return std::string{"e"}; }, How::erased},
      {"index of names", Family::index, [](const StoreOfAll&) { return std::string{"n"}; }, How::erased},
      {"index with a value", Family::index, [](const StoreOfAll&) { return std::string{"u"}; }, How::garbage},
      {"class", Family::instance, [](const StoreOfAll&) { return std::string{key::kClassPrefix}; },
       How::garbage},
      {"class, lost", Family::instance, [](const StoreOfAll&) { return std::string{key::kClassPrefix}; },
       How::erased},
      {"counter", Family::instance, [](const StoreOfAll&) { return std::string{key::kCountPrefix}; },
       How::garbage},
      {"counter, lost", Family::instance, [](const StoreOfAll&) { return std::string{key::kCountPrefix}; },
       How::erased},
      {"counter of active jobs", Family::instance,
       [](const StoreOfAll&) { return std::string{key::kActivePrefix}; }, How::garbage},
      {"bytes of a user", Family::instance, [](const StoreOfAll&) { return std::string{key::kBytesPrefix}; },
       How::garbage},
      {"bytes of a user, lost", Family::instance,
       [](const StoreOfAll&) { return std::string{key::kBytesPrefix}; }, How::erased},
      {"pool", Family::instance, [](const StoreOfAll&) { return std::string{key::kPoolPrefix}; },
       How::garbage},
      {"pool, lost", Family::instance, [](const StoreOfAll&) { return std::string{key::kPoolPrefix}; },
       How::erased},
      {"bank", Family::instance, [](const StoreOfAll&) { return std::string{key::kBankPrefix} + "physics"; },
       How::garbage},
      {"bank, lost", Family::instance,
       [](const StoreOfAll&) { return std::string{key::kBankPrefix} + "physics"; }, How::erased},
      {"usage of a user, lost", Family::instance,
       [](const StoreOfAll&) { return std::string{key::kAssociationPrefix}; }, How::erased},
      {"usage of a user", Family::instance,
       [](const StoreOfAll&) { return std::string{key::kAssociationPrefix}; }, How::garbage},
      {"number of a user, lost", Family::instance,
       [](const StoreOfAll&) { return std::string{key::kUserNamePrefix}; }, How::erased},
      {"charge", Family::instance, [](const StoreOfAll&) { return std::string{key::kChargePrefix}; },
       How::garbage},
      {"charge, lost", Family::instance, [](const StoreOfAll&) { return std::string{key::kChargePrefix}; },
       How::erased},
      {"use that is limited", Family::instance,
       [](const StoreOfAll&) { return std::string{key::kUsePrefix}; }, How::garbage},
      {"use that is limited, lost", Family::instance,
       [](const StoreOfAll&) { return std::string{key::kUsePrefix}; }, How::erased},
      {"tally", Family::instance, [](const StoreOfAll&) { return std::string{key::kTallyPrefix}; },
       How::garbage},
      {"queue state", Family::instance, [](const StoreOfAll&) { return key::queue("other"); }, How::garbage},
      {"drain", Family::instance, [](const StoreOfAll&) { return std::string{key::kDrainPrefix}; },
       How::garbage},
      {"reservation", Family::instance, [](const StoreOfAll&) { return std::string{key::kReservePrefix}; },
       How::garbage},
      {"purged job", Family::instance, [](const StoreOfAll& s) { return key::purged(s.gone); }, How::garbage},
      {"purged job, lost", Family::instance, [](const StoreOfAll& s) { return key::purged(s.gone); },
       How::erased},
      {"sequence", Family::instance, [](const StoreOfAll&) { return std::string{key::kSequence}; },
       How::garbage},
      {"queue, compiled", Family::instance, [](const StoreOfAll&) { return key::queue_config("other"); },
       How::garbage},
      {"queue, compiled, lost", Family::instance,
       [](const StoreOfAll&) { return key::queue_config("batch"); }, How::erased},
      {"scheduling, compiled", Family::instance,
       [](const StoreOfAll&) { return std::string{key::kScheduling}; }, How::erased},
      {"default queue", Family::instance, [](const StoreOfAll&) { return std::string{key::kDefaultQueue}; },
       How::erased},
      {"exec", Family::instance, [](const StoreOfAll&) { return std::string{key::kExecConfig}; },
       How::erased},
      {"retention", Family::instance, [](const StoreOfAll&) { return std::string{key::kRetention}; },
       How::erased},
      {"qualities of service", Family::instance, [](const StoreOfAll&) { return std::string{key::kQos}; },
       How::erased},
      {"access", Family::instance, [](const StoreOfAll&) { return std::string{key::kAccess}; }, How::erased},
      {"bound of the log", Family::instance, [](const StoreOfAll&) { return std::string{key::kLogConfig}; },
       How::erased},
      {"log of the store", Family::kvs, [](const StoreOfAll&) { return std::string{key::kInstanceEventlog}; },
       How::garbage},
      {"length of the log", Family::instance, [](const StoreOfAll&) { return std::string{key::kLogBytes}; },
       How::garbage},
      {"configuration", Family::instance, [](const StoreOfAll&) { return std::string{key::kConfig}; },
       How::garbage, true},
      {"inventory", Family::instance, [](const StoreOfAll&) { return std::string{key::kInventory}; },
       How::garbage, true},
  };
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.what);
    StoreOfAll store;
    std::string name, before;
    store.change([&](store::Transaction& t) {
      name = first(t, damage.family, damage.prefix(store));
      before = t.get(damage.family, name).value_or("");
      damage.how == How::erased ? t.erase(damage.family, name) : t.put(damage.family, name, "garbage");
    });
    const auto complaint = [](const std::function<std::string()>& act) {
      try {
        return act();
      } catch (const Error& failure) {
        return std::string{failure.what()};
      }
    };
    EXPECT_NE(complaint([&] { return store.check(); }), "");
    if (damage.stays) {
      store.change([&](store::Transaction& t) { t.put(damage.family, name, before); });
    } else {
      EXPECT_EQ(complaint([&] {
                  static_cast<void>(store.repair());
                  return store.check();
                }),
                "");
    }
    store.end_shells();
  }
}

}  // namespace
}  // namespace fq::test
