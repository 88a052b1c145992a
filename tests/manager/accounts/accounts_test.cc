// What banks and users in them use, as jobs come and go, and what follows from it.

#include "records/accounts.h"

#include "base/text.h"
#include "manager/accounts/accounts_fixture.h"
#include "manager/check/fsck.h"
#include "manager/check/repair.h"
#include "records/charges.h"
#include "records/keys.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"

namespace fq::test {
namespace {

TEST_F(Accounts, PRIO_24_PRIO_27_usage_is_kept_to_user_bank_and_store) {
  add_bank("physics", 3);
  add_bank("optics", 1, "physics");
  add_bank("biology", 1);
  add_user(user("ada", "optics"));
  add_user(user("ada", "biology"));
  add_user(user("bob", "biology"));
  load("[accounting]\nhalf-life = '0'\n");
  const JobId one = submit_as("ada", {}, 4);
  const JobId two = submit_as("ada", R"("bank":"biology")", 2);
  EXPECT_EQ(updates(one), R"({"attributes.system.bank":"optics"})");
  EXPECT_EQ(updates(two), "");
  s.clock.advance(100);
  // Running jobs count as they go.
  EXPECT_NEAR(usage("ada", "optics"), 400, 1e-3);
  s.finish(one);
  s.clock.advance(50);
  s.finish(two);
  s.clock.advance(1000);
  EXPECT_NEAR(usage("ada", "optics"), 400, 1e-3);
  EXPECT_NEAR(usage("ada", "biology"), 300, 1e-3);
  EXPECT_EQ(usage("bob", "biology"), 0);
  EXPECT_NEAR(bank_usage("physics"), 400, 1e-3);
  EXPECT_NEAR(bank_usage("biology"), 300, 1e-3);
  EXPECT_NEAR(bank_usage("root"), 700, 1e-3);
  // Of each resource: two nodes were touched, no GPU.
  const manager::AccountTree all = tree();
  EXPECT_NEAR(all.root.total[static_cast<std::size_t>(priority::Resource::node)], 250, 1e-3);
  EXPECT_EQ(all.root.total[static_cast<std::size_t>(priority::Resource::gpu)], 0);
}

TEST_F(Accounts, PRIO_26_usage_halves_each_half_life_a_week_by_default) {
  add_bank("physics", 1);
  add_user(user("ada", "physics"));
  const JobId id = submit_as("ada", {}, 2);
  s.clock.advance(1800);
  s.finish(id);
  EXPECT_NEAR(usage("ada", "physics"), 3600, 4);
  s.clock.advance(kWeek_s);
  EXPECT_NEAR(usage("ada", "physics"), 1800, 2);
  // A changed half-life holds from now on.
  load("[accounting]\nhalf-life = '1d'\n");
  EXPECT_NEAR(usage("ada", "physics"), 1800, 2);
  s.clock.advance(24 * kHour_s);
  EXPECT_NEAR(usage("ada", "physics"), 900, 1);
  load("[accounting]\nhalf-life = 'infinity'\n");
  s.clock.advance(kWeek_s);
  EXPECT_NEAR(usage("ada", "physics"), 900, 1);
}

TEST_F(Accounts, PRIO_8_who_had_less_goes_first) {
  // ada has used the machine; what bob submits after her second job starts before it.
  add_bank("physics", 1);
  add_user(user("ada", "physics"));
  add_user(user("bob", "physics"));
  load("[policy]\nscheduler.name = 'fcfs'\n[policy.priority]\nscheme = 'multifactor'\n");
  const JobId first = submit_as("ada", {}, 16);
  s.clock.advance(100);
  const JobId second = submit_as("ada", {}, 16);
  const JobId of_bob = submit_as("bob", {}, 16);
  EXPECT_GT(factor("bob"), 0.5);
  EXPECT_LT(factor("ada"), 0.5);
  s.finish(first);
  EXPECT_EQ(s.states({second, of_bob}), "S R");
  s.cancel(second);
}

TEST_F(Accounts, PRIO_21_PRIO_28_with_work_always_there_what_is_delivered_comes_to_match_the_shares) {
  // Jobs of an hour that take the whole machine, for eight days; then one user stays away for two.
  const std::map<std::string, double> shares{{"ada", 5}, {"bob", 3}, {"eve", 2}};
  for (const auto& [name, share] : shares) {
    add_bank("of-" + name, share);
    add_user(user(name, "of-" + name));
  }
  load("[policy.priority]\nscheme = 'multifactor'\n");
  std::map<std::string, double> delivered;
  std::map<JobId, std::string> owners;
  const auto submit_one = [&](const std::string& name) { owners[submit_as(name, {}, 16)] = name; };
  const auto run_hours = [&](int hours) {
    delivered.clear();
    for (int hour = 0; hour < hours; ++hour) {
      const JobId running = s.launcher.shells.begin()->first;
      const std::string name = owners.at(running);
      delivered[name] += 1.0 / hours;
      s.clock.advance(kHour_s);
      submit_one(name);
      s.finish(running);
    }
  };
  for (const auto& [name, share] : shares) submit_one(name), submit_one(name);
  run_hours(192);
  for (const auto& [name, share] : shares) EXPECT_NEAR(delivered.at(name), share / 10, 0.02) << name;
  // Shares are no quotas: what one leaves the others have, in their proportion.
  for (const auto& [id, name] : owners) {
    if (name == "ada" && s.job(id).state != job::State::inactive) s.cancel(id);
  }
  while (owners.at(s.launcher.shells.begin()->first) == "ada") s.finish(s.launcher.shells.begin()->first);
  run_hours(60);
  EXPECT_EQ(delivered.count("ada"), 0U);
  EXPECT_NEAR(delivered.at("bob"), 0.6, 0.1);
  for (const auto& [id, name] : owners) {
    if (s.job(id).state == job::State::sched) s.cancel(id);
  }
}

TEST_F(Accounts, the_first_job_of_a_new_user_starts_before_the_hundredth_of_a_heavy_one) {
  add_bank("physics", 1);
  add_user(user("ada", "physics"));
  add_user(user("bob", "physics"));
  load("[policy.priority]\nscheme = 'multifactor'\n");
  const JobId running = submit_as("ada", {}, 16);
  s.clock.advance(kHour_s);
  std::vector<JobId> heavy;
  for (int i = 0; i < 100; ++i) heavy.push_back(submit_as("ada", {}, 16));
  s.clock.advance(kHour_s);
  const JobId first = submit_as("bob", {}, 16);
  s.finish(running);
  EXPECT_EQ(s.states({first, heavy.front()}), "R S");
  for (const JobId id : heavy) s.cancel(id);
}

TEST_F(Accounts, PRIO_22_PRIO_10_exactly_served_users_have_a_half) {
  add_bank("physics", 3);
  add_bank("biology", 1);
  add_user(user("ada", "physics"));
  add_user(user("bob", "biology"));
  const auto charge = [&](const std::string& name, const std::string& bank, double seconds) {
    manager::ManualCharge what;
    what.user = name;
    what.bank = bank;
    what.amounts[0] = seconds;
    what.at = s.clock.now();
    EXPECT_EQ(edit([&](AccountBook& book) { book.charge(what); }), "no error");
  };
  EXPECT_EQ(factor("ada"), 1);  // nobody has used anything
  charge("ada", "physics", 3000);
  charge("bob", "biology", 1000);
  EXPECT_NEAR(factor("ada"), 0.5, 1e-9);
  EXPECT_NEAR(factor("bob"), 0.5, 1e-9);
  charge("bob", "biology", 4000);
  EXPECT_GT(factor("ada"), 0.5);
  EXPECT_LT(factor("bob"), 0.5);
  // Credited, as far as there is usage.
  charge("bob", "biology", -1e9);
  EXPECT_EQ(usage("bob", "biology"), 0);
  EXPECT_NEAR(bank_usage("root"), 3000, 1);
}

TEST_F(Accounts, usage_charged_for_an_earlier_time_has_decayed_since) {
  add_bank("physics", 1);
  add_user(user("ada", "physics"));
  manager::ManualCharge what;
  what.user = "ada";
  what.bank = "physics";
  what.amounts[0] = 4000;
  what.at = s.clock.now() - 2 * kWeek_s;
  EXPECT_EQ(edit([&](AccountBook& book) { book.charge(what); }), "no error");
  EXPECT_NEAR(usage("ada", "physics"), 1000, 1);
  what.at = s.clock.now() + kWeek_s;
  EXPECT_EQ(edit([&](AccountBook& book) { book.charge(what); }),
            "what is used in the future cannot be charged");
}

TEST_F(Accounts, what_is_used_stays_on_record_when_it_is_deleted) {
  add_bank("physics", 1);
  add_bank("biology", 1);
  add_user(user("ada", "physics"));
  add_user(user("bob", "physics"));
  const JobId id = submit_as("ada");
  s.clock.advance(100);
  const auto remove = [&](const std::string& name, manager::InUse in_use) {
    return edit([&](AccountBook& book) { book.delete_user(name, "physics", in_use); });
  };
  EXPECT_EQ(remove("ada", manager::InUse::refuse),
            "user 'ada' has 1 active job in bank 'physics' (--force lets them end and takes no more)");
  EXPECT_EQ(remove("ada", manager::InUse::close), "no error");
  EXPECT_EQ(remove("bob", manager::InUse::refuse), "no error");
  EXPECT_EQ(refusal_as("ada"), "user 'ada' is in no bank (fq account add-user)");
  s.finish(id);
  EXPECT_NEAR(bank_usage("physics"), 100, 1);
  const manager::AccountTree all = tree();
  EXPECT_TRUE(request::require_user_nodes(all, "ada").front()->closed);
  EXPECT_THROW(static_cast<void>(request::require_user_nodes(all, "bob")), Error);
  // Added again, it goes on with that.
  add_user(user("ada", "physics"));
  EXPECT_NEAR(usage("ada", "physics"), 100, 1);
}

TEST_F(Accounts, a_bank_that_moves_takes_its_usage_along) {
  add_bank("physics", 1);
  add_bank("biology", 1);
  add_bank("optics", 1, "physics");
  add_user(user("ada", "optics"));
  const JobId id = submit_as("ada");
  s.clock.advance(100);
  const auto move = [&](const std::string& name, const std::string& parent) {
    BankEdit moved;
    moved.name = name;
    moved.parent = parent;
    return edit([&](AccountBook& book) { book.edit_bank(moved); });
  };
  EXPECT_EQ(move("physics", "optics"), "bank 'physics' cannot be part of 'optics', which is part of it");
  EXPECT_EQ(move("optics", "optics"), "bank 'optics' cannot be part of itself");
  EXPECT_EQ(move("root", "optics"), "bank 'root' is part of no other");
  EXPECT_EQ(move("optics", "biology"), "no error");
  s.clock.advance(100);
  EXPECT_EQ(bank_usage("physics"), 0);
  EXPECT_NEAR(bank_usage("biology"), 200, 1);
  s.finish(id);
  EXPECT_NEAR(bank_usage("root"), 200, 1);
}

TEST_F(Accounts, who_waits_is_ordered_by_fair_tree_where_that_is_configured) {
  add_bank("physics", 3);
  add_bank("biology", 1);
  add_user(user("ada", "physics"));
  add_user(user("bob", "biology"));
  load("[accounting]\nfair-share = 'fair-tree'\n[policy.priority]\nscheme = 'multifactor'\n");
  manager::ManualCharge what;
  what.user = "bob";
  what.bank = "biology";
  what.amounts[0] = 100;
  what.at = s.clock.now();
  EXPECT_EQ(edit([&](AccountBook& book) { book.charge(what); }), "no error");
  EXPECT_EQ(factor("ada"), 1);
  EXPECT_EQ(factor("bob"), 0.5);
  const JobId fills = submit_as("ada", {}, 16);
  const JobId of_bob = submit_as("bob", {}, 16);
  const JobId of_ada = submit_as("ada", {}, 16);
  s.finish(fills);
  EXPECT_EQ(s.states({of_bob, of_ada}), "S R");
  const auto annotations = nlohmann::json::parse(s.job(of_ada).annotations);
  EXPECT_EQ(annotations.at("priority").at("fair_share"), 100000.0);
  s.finish(of_ada);
}

TEST_F(Accounts, what_was_damaged_is_found_and_made_good) {
  add_bank("physics", 3);
  add_bank("optics", 1, "physics");
  add_user(user("ada", "optics"));
  add_user(user("bob", "physics"));
  const JobId id = submit_as("ada", {}, 2);
  s.clock.advance(1000);
  const double before = usage("ada", "optics");
  const auto damage = [&](const std::function<void(store::Transaction&)>& change) {
    const auto lock = store::StoreLock::acquire(s.session.store, 10, "test");
    auto database = store::rocks::Database::open(store::database_path(s.session.store), /*create=*/false);
    store::rocks::Transaction transaction = database.begin();
    change(transaction);
    transaction.commit();
    database.close();
  };
  const auto found = [&] {
    std::string out;
    manager::fsck(s.session, [&](const std::string& line) { out += line + "\n"; });
    return out;
  };
  const auto repair = [&] {
    manager::repair(s.session, manager::aside_directory(s.session), [](const std::string&) {});
    EXPECT_EQ(found(), "");
  };
  damage([](store::Transaction& transaction) {
    auto bank = *records::find_bank(transaction, "physics");
    bank.usage = {};
    bank.member_shares = 9;
    records::write(transaction, bank);
  });
  EXPECT_EQ(found(),
            "bank 'physics': its sum of shares is not that of what is in it\n"
            "bank 'physics': its usage is not that of what is in it\n");
  repair();
  EXPECT_NEAR(bank_usage("physics"), before, 1e-3);
  // A bank that cannot be read is made again, with what was used in it.
  damage([](store::Transaction& transaction) {
    transaction.put(store::Family::instance, records::key::bank("optics"), "damaged");
  });
  EXPECT_NE(found(), "");
  repair();
  EXPECT_NEAR(bank_usage("optics"), before, 1e-3);
  damage([&](store::Transaction& transaction) { records::erase_charge(transaction, id); });
  EXPECT_EQ(found(), "user 'ada' in bank 'optics': what is charged is not what running jobs hold\n");
  repair();
  s.finish(id);
}

}  // namespace
}  // namespace fq::test
