// Banks, users in them and what they use, as jobs come and go.

#include "records/accounts.h"

#include <map>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "manager/accounts/edit.h"
#include "manager/accounts/overview.h"
#include "manager/fsck.h"
#include "manager/repair.h"
#include "queues_fixture.h"
#include "records/charges.h"
#include "records/keys.h"
#include "store/store_lock.h"

namespace fq::test {
namespace {

using manager::AccountBook;
using manager::AccountNode;
using manager::BankEdit;
using manager::UserEdit;

constexpr double kHour = 3600, kWeek = 7 * 24 * kHour;

class Accounts : public QueuesTest {
 protected:
  std::string edit(const std::function<void(AccountBook&)>& edits) {
    return error_text([&] {
      manager::edit_accounts(s.session, nlohmann::json::object(), edits);
      return 0;
    });
  }
  void add_bank(const std::string& name, double shares, const std::string& parent = "root") {
    BankEdit bank;
    bank.name = name;
    bank.shares = shares;
    bank.parent = parent;
    ASSERT_EQ(edit([&](AccountBook& book) { book.add_bank(bank); }), "no error");
  }
  static UserEdit user(const std::string& name, const std::string& bank, double shares = 1) {
    UserEdit wanted;
    wanted.user = name;
    wanted.bank = bank;
    wanted.shares = shares;
    wanted.userid = numbers().at(name);
    return wanted;
  }
  static const std::map<std::string, std::uint32_t>& numbers() {
    static const std::map<std::string, std::uint32_t> kNumbers{{"ada", 5001}, {"bob", 5002}, {"eve", 5003}};
    return kNumbers;
  }
  void add_user(const UserEdit& wanted) {
    ASSERT_EQ(edit([&](AccountBook& book) { book.add_user(wanted); }), "no error");
  }
  template <typename Do>
  auto as(const std::string& name, const Do& act) {
    const manager::Names names{name, {name}};
    s.session.caller = {numbers().at(name), 1, std::make_shared<const manager::Names>(names)};
    const auto result = act();
    s.session.caller = manager::Credential::of_process();
    return result;
  }
  JobId submit_as(const std::string& name, const std::string& system = {}, std::uint32_t slots = 1) {
    return as(name, [&] { return s.submit(spec(system, slots)); });
  }
  std::string refusal_as(const std::string& name, const std::string& system = {}, std::uint32_t slots = 1) {
    return as(name, [&] { return refusal(system, slots); });
  }
  manager::AccountTree tree() {
    manager::AccountTree found;
    manager::query(s.session,
                   [&](const store::Reader& reader) { found = manager::account_tree(reader, s.session); });
    return found;
  }
  double usage(const std::string& user, const std::string& bank) {
    const manager::AccountTree all = tree();
    for (const AccountNode* each : manager::require_user_nodes(all, user)) {
      if (each->parent == bank) return each->usage;
    }
    return -1;
  }
  double bank_usage(const std::string& bank) { return manager::require_bank_node(tree(), bank).usage; }
  double factor(const std::string& user) {
    const manager::AccountTree all = tree();
    return manager::require_user_nodes(all, user).front()->fair_share.value_or(-1);
  }
};

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
  s.clock.advance(kWeek);
  EXPECT_NEAR(usage("ada", "physics"), 1800, 2);
  // A changed half-life holds from now on.
  load("[accounting]\nhalf-life = '1d'\n");
  EXPECT_NEAR(usage("ada", "physics"), 1800, 2);
  s.clock.advance(24 * kHour);
  EXPECT_NEAR(usage("ada", "physics"), 900, 1);
  load("[accounting]\nhalf-life = 'infinity'\n");
  s.clock.advance(kWeek);
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
      s.clock.advance(kHour);
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
  s.clock.advance(kHour);
  std::vector<JobId> heavy;
  for (int i = 0; i < 100; ++i) heavy.push_back(submit_as("ada", {}, 16));
  s.clock.advance(kHour);
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
  what.at = s.clock.now() - 2 * kWeek;
  EXPECT_EQ(edit([&](AccountBook& book) { book.charge(what); }), "no error");
  EXPECT_NEAR(usage("ada", "physics"), 1000, 1);
  what.at = s.clock.now() + kWeek;
  EXPECT_EQ(edit([&](AccountBook& book) { book.charge(what); }),
            "what is used in the future cannot be charged");
}

TEST_F(Accounts, PRIO_23_who_is_in_no_bank_is_refused) {
  EXPECT_EQ(refusal_as("eve"), "no error");  // there are no accounts
  add_bank("physics", 1);
  add_bank("biology", 1);
  add_user(user("ada", "physics"));
  EXPECT_EQ(refusal_as("eve"), "user 'eve' is in no bank (fq account add-user)");
  EXPECT_EQ(refusal_as("ada", R"("bank":"phsics")"),
            "bank 'phsics' does not exist (did you mean 'physics'?)");
  EXPECT_EQ(refusal_as("ada", R"("bank":"biology")"), "user 'ada' is not in bank 'biology' (but in physics)");
  EXPECT_EQ(refusal_as("ada", R"("bank":"physics")"), "no error");
}

TEST_F(Accounts, or_taken_into_the_default_bank) {
  add_bank("physics", 1);
  add_bank("guests", 1);
  load("[accounting]\ndefault-bank = 'guests'\n");
  const JobId id = submit_as("eve");
  EXPECT_EQ(s.job(id).bank, "guests");
  s.clock.advance(10);
  EXPECT_NEAR(usage("eve", "guests"), 10, 1e-2);
}

TEST_F(Accounts, a_user_added_by_name_gets_a_number_with_the_first_job) {
  add_bank("physics", 1);
  UserEdit by_name = user("ada", "physics");
  by_name.userid.reset();
  add_user(by_name);
  const JobId id = submit_as("ada");
  EXPECT_EQ(s.job(id).bank, "physics");
  const manager::AccountTree all = tree();
  EXPECT_EQ(manager::require_user_nodes(all, "ada").front()->association.userid, numbers().at("ada"));
}

TEST_F(Accounts, projects_are_free_until_there_are_some) {
  add_bank("physics", 1);
  add_user(user("ada", "physics"));
  EXPECT_EQ(refusal_as("ada", R"("project":"x")"), "no error");
  EXPECT_EQ(edit([](AccountBook& book) { book.add_project("laser"); }), "no error");
  EXPECT_EQ(refusal_as("ada", R"("project":"lasr")"),
            "project 'lasr' does not exist (did you mean 'laser'?)");
  EXPECT_EQ(refusal_as("ada", R"("project":"laser")"), "no error");
}

TEST_F(Accounts, limits_on_what_is_in_use_let_jobs_wait_until_there_is_room) {
  add_bank("physics", 1);
  UserEdit ada = user("ada", "physics");
  ada.limits = {{&priority::AccountLimits::running_jobs, 2}, {&priority::AccountLimits::cores, 6}};
  add_user(ada);
  add_user(user("bob", "physics"));
  const JobId one = submit_as("ada", {}, 4);
  const JobId wide = submit_as("ada", {}, 4);
  // Small ones would fit, and wait behind it: or it would starve.
  const JobId small = submit_as("ada", {}, 2);
  const JobId third = submit_as("ada", {}, 1);
  const JobId of_bob = submit_as("bob");
  EXPECT_EQ(s.states({one, wide, small, third, of_bob}), "R S S S R");
  EXPECT_EQ(why(wide),
            "user 'ada' in bank 'physics' has 4 cores in use, at most 6 may be, and it asks for 4; it is the "
            "next job in the queue");
  s.finish(one);
  EXPECT_EQ(s.states({wide, small, third}), "R R S");
  EXPECT_EQ(
      why(third),
      "user 'ada' in bank 'physics' has 2 running jobs, at most 2 may run; it is the next job in the queue");
  s.finish(small);
  EXPECT_EQ(s.states({wide, third}), "R R");
  EXPECT_EQ(refusal_as("ada", {}, 7),
            "user 'ada' in bank 'physics' may have 6 cores in use at most, and it asks for 7");
}

TEST_F(Accounts, limits_of_a_bank_hold_for_all_below_it) {
  add_bank("physics", 1);
  add_bank("optics", 1, "physics");
  add_user(user("ada", "optics"));
  add_user(user("bob", "physics"));
  BankEdit limited;
  limited.name = "physics";
  limited.limits = {{&priority::AccountLimits::nodes, 1}, {&priority::AccountLimits::active_jobs, 3}};
  EXPECT_EQ(edit([&](AccountBook& book) { book.edit_bank(limited); }), "no error");
  const JobId one = submit_as("ada");
  const JobId two = submit_as("bob");
  EXPECT_EQ(s.states({one, two}), "R S");
  EXPECT_EQ(refusal_as("ada"), "no error");
  EXPECT_EQ(refusal_as("bob"), "bank 'physics' has 3 active jobs already, at most 3 may be active");
  s.finish(one);
  EXPECT_EQ(s.states({two}), "R");
  EXPECT_EQ(refusal_as("bob"), "no error");
}

TEST_F(Accounts, all_jobs_of_a_submission_count_for_the_active_ones) {
  add_bank("physics", 1);
  UserEdit ada = user("ada", "physics");
  ada.limits = {{&priority::AccountLimits::active_jobs, 3}};
  add_user(ada);
  const auto submit = [&](const char* copies) {
    return as("ada", [&] {
      return error_text([&] {
        manager::SubmitRequest request;
        request.jobspec = manager::JobspecTemplate::plain(spec(""));
        request.copies = notation::Idset::decode(copies);
        return manager::submit(s.session, {request}).size();
      });
    });
  };
  EXPECT_EQ(submit("0-3"),
            "user 'ada' in bank 'physics' has 0 active jobs and 4 more would come, at most 3 may be active");
  EXPECT_EQ(submit("0-2"), "no error");
}

TEST_F(Accounts, PRIO_12_an_association_may_be_granted_a_quality_of_service) {
  add_bank("physics", 1);
  UserEdit ada = user("ada", "physics");
  ada.qos = {"expedite"};
  ada.queues = {"batch"};
  add_user(ada);
  add_user(user("bob", "physics"));
  load(kBatchAndDebug);
  EXPECT_EQ(refusal_as("ada", R"("qos":"expedite")"), "no error");
  EXPECT_EQ(refusal_as("bob", R"("qos":"expedite")"), "QoS 'expedite' is reserved for the owner");
  EXPECT_EQ(refusal_as("ada", in("debug")),
            "user 'ada' may not use queue 'debug' in bank 'physics' (but batch)");
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
  EXPECT_TRUE(manager::require_user_nodes(all, "ada").front()->account.closed);
  EXPECT_THROW(static_cast<void>(manager::require_user_nodes(all, "bob")), Error);
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
    auto database = store::Database::open(store::database_path(s.session.store), /*create=*/false);
    store::Transaction transaction = database.begin();
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

TEST_F(Accounts, only_the_owner_changes_them) {
  add_bank("physics", 1);
  EXPECT_EQ(as("ada", [&] { return edit([](AccountBook& book) { book.add_project("x"); }); }),
            "only the owner may change accounts");
}

}  // namespace
}  // namespace fq::test
