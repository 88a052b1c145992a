// Who may submit to which bank, and what users and banks may have at the same time.

#include "manager/accounts/accounts_fixture.h"

namespace fq::test {
namespace {

class Membership : public Accounts {};

TEST_F(Membership, PRIO_23_who_is_in_no_bank_is_refused) {
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

TEST_F(Membership, or_taken_into_the_default_bank) {
  add_bank("physics", 1);
  add_bank("guests", 1);
  load("[accounting]\ndefault-bank = 'guests'\n");
  const JobId id = submit_as("eve");
  EXPECT_EQ(s.job(id).bank, "guests");
  s.clock.advance(10);
  EXPECT_NEAR(usage("eve", "guests"), 10, 1e-2);
}

TEST_F(Membership, a_user_added_by_name_gets_a_number_with_the_first_job) {
  add_bank("physics", 1);
  UserEdit by_name = user("ada", "physics");
  by_name.userid.reset();
  add_user(by_name);
  const JobId id = submit_as("ada");
  EXPECT_EQ(s.job(id).bank, "physics");
  const manager::AccountTree all = tree();
  EXPECT_EQ(request::require_user_nodes(all, "ada").front()->userid, numbers().at("ada"));
}

TEST_F(Membership, jobs_from_before_there_were_accounts_are_charged_once_their_user_is_in_a_bank) {
  const JobId early = submit_as("ada", {}, 2);
  const JobId waits = submit_as("ada", {}, 16);
  add_bank("physics", 1);
  const auto longer = [&](const char* what) { return as("ada", [&] { return update(waits, what); }); };
  EXPECT_EQ(longer(R"({"attributes.system.duration":60})"), "user 'ada' is in no bank");
  add_user(user("ada", "physics"));
  EXPECT_EQ(longer(R"({"attributes.system.duration":60})"), "");
  EXPECT_EQ(s.job(waits).bank, "physics");
  EXPECT_EQ(longer(R"({"attributes.system.bank":"biology"})"), "bank 'biology' does not exist");
  EXPECT_EQ(longer(R"({"attributes.system.qos":"expedite"})"), "QoS 'expedite' is reserved for the owner");
  s.clock.advance(100);
  s.finish(early);
  EXPECT_EQ(usage("ada", "physics"), 0);  // it had begun before
  s.clock.advance(10);
  s.finish(waits);
  EXPECT_NEAR(usage("ada", "physics"), 160, 1);
}

TEST_F(Membership, projects_are_free_until_there_are_some) {
  add_bank("physics", 1);
  add_user(user("ada", "physics"));
  EXPECT_EQ(refusal_as("ada", R"("project":"x")"), "no error");
  EXPECT_EQ(edit([](AccountBook& book) { book.add_project("laser"); }), "no error");
  EXPECT_EQ(refusal_as("ada", R"("project":"lasr")"),
            "project 'lasr' does not exist (did you mean 'laser'?)");
  EXPECT_EQ(refusal_as("ada", R"("project":"laser")"), "no error");
}

TEST_F(Membership, a_user_in_a_bank_may_name_its_projects_and_has_a_default_one) {
  add_bank("physics", 1);
  for (const char* name : {"laser", "optics", "maser"})
    EXPECT_EQ(edit([&](AccountBook& book) { book.add_project(name); }), "no error");
  UserEdit ada = user("ada", "physics");
  ada.projects = {"laser", "optics"};
  ada.default_project = "maser";
  EXPECT_EQ(edit([&](AccountBook& book) { book.add_user(ada); }),
            "default project 'maser' is not among the projects of user 'ada' in bank 'physics' (these are "
            "laser, optics)");
  ada.default_project = "laser";
  add_user(ada);
  EXPECT_EQ(refusal_as("ada", R"("project":"maser")"),
            "user 'ada' may not name project 'maser' in bank 'physics' (but laser, optics)");
  const JobId by_default = submit_as("ada");
  EXPECT_EQ(s.job(by_default).project, "laser");
  EXPECT_EQ(updates(by_default),
            R"({"attributes.system.bank":"physics","attributes.system.project":"laser"})");
  EXPECT_EQ(s.job(submit_as("ada", R"("project":"optics")")).project, "optics");
  // What is used is told of each.
  s.clock.advance(3600);
  const auto projects = manager::projects(s.session);
  EXPECT_EQ(projects.at(0).name, "laser");
  EXPECT_NEAR(projects.at(0).seconds[0], 3600, 1);
  EXPECT_EQ(projects.at(0).users, std::vector<std::string>{"ada:physics"});
  EXPECT_EQ(projects.at(1).name, "maser");
  EXPECT_EQ(projects.at(1).seconds[0], 0);
  // One that somebody has is not deleted without a word.
  EXPECT_EQ(edit([](AccountBook& book) { book.delete_project("laser"); }),
            "project 'laser' is among those of user 'ada' in bank 'physics' (--force takes it from all who "
            "have it)");
  EXPECT_EQ(edit([](AccountBook& book) { book.delete_project("laser", manager::InUse::close); }), "no error");
  EXPECT_EQ(s.job(submit_as("ada")).project, "");
}

TEST_F(Membership, limits_on_what_is_in_use_let_jobs_wait_until_there_is_room) {
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

TEST_F(Membership, limits_of_a_bank_hold_for_all_below_it) {
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

TEST_F(Membership, all_jobs_of_a_submission_count_for_the_active_ones) {
  add_bank("physics", 1);
  UserEdit ada = user("ada", "physics");
  ada.limits = {{&priority::AccountLimits::active_jobs, 3}};
  add_user(ada);
  const auto submit = [&](const char* copies) {
    return as("ada", [&] {
      return error_text([&] {
        request::JobGroup request;
        request.jobspec = request::JobspecTemplate::plain(spec(""));
        request.copies = notation::Idset::decode(copies);
        return manager::submit(s.session, {request}).size();
      });
    });
  };
  EXPECT_EQ(submit("0-3"),
            "user 'ada' in bank 'physics' has 0 active jobs and 4 more would come, at most 3 may be active");
  EXPECT_EQ(submit("0-2"), "no error");
}

TEST_F(Membership, PRIO_12_an_association_may_be_granted_a_quality_of_service) {
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

TEST_F(Membership, only_the_owner_changes_them) {
  add_bank("physics", 1);
  EXPECT_EQ(as("ada", [&] { return edit([](AccountBook& book) { book.add_project("x"); }); }),
            "only the owner may change accounts");
}

}  // namespace
}  // namespace fq::test
