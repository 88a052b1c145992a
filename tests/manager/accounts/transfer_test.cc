// Tables of accounts: what is exported and imported again is the same, and what cannot be is named.

#include "manager/accounts/transfer.h"

#include <random>

#include "manager/accounts/accounts_fixture.h"
#include "request/account_tables.h"

namespace fq::test {
namespace {

// Both tables of a store.
std::pair<std::string, std::string> exported(const manager::AccountTree& tree) {
  return {request::bank_table(tree), request::user_table(tree)};
}

request::AccountTables read_tables(const std::pair<std::string, std::string>& tables) {
  request::AccountTables read;
  EXPECT_EQ(request::read_bank_table(tables.first, "banks.csv", read), std::vector<std::string>{});
  EXPECT_EQ(request::read_user_table(tables.second, "users.csv", read), std::vector<std::string>{});
  return read;
}

class Transfer : public Accounts {};

// Another store beside the first.
class Other : public Accounts {
 public:
  using Accounts::edit;
  using Accounts::load;
  using Accounts::tree;
  Scenario& scenario() { return s; }

 private:
  void TestBody() override {}
};

TEST_F(Transfer, what_is_exported_and_imported_is_the_same) {
  // Random books with everything in them: deleted banks and users, limits, lists, usage of each resource.
  std::mt19937 random(18);
  const auto some = [&](int of) { return static_cast<int>(random() % static_cast<unsigned>(of)); };
  load("[accounting]\nhalf-life = '0'\nusage-weights = { core = 1, gpu = 10, energy = 0.25 }\n");
  EXPECT_EQ(edit([&](AccountBook& book) {
              for (int i = 0; i < 12; ++i) {
                BankEdit bank;
                bank.name = fmt::format("bank{}", i);
                bank.parent = i < 3 ? "root" : fmt::format("bank{}", some(i));
                bank.shares = some(40) / 8.0;
                if (some(3) == 0) bank.limits = {{&priority::AccountLimits::gpus, some(5)}};
                book.add_bank(bank);
              }
              const std::vector<std::string> names{"a", "b", "c"};
              for (const std::string& name : names) book.add_project("project-" + name);
              for (int i = 0; i < 60; ++i) {
                UserEdit edit;
                edit.user = fmt::format("user{}", i / 2);
                edit.bank = fmt::format("bank{}", i % 2 == 0 ? some(6) : 6 + some(6));
                if (i % 10 < 8) edit.userid = 6000 + i / 2;
                edit.shares = some(100);
                edit.make_default = some(2) == 0;
                if (some(3) == 0) edit.queues = {"batch", "de\"bug"};
                if (some(4) == 0) edit.qos = {"expedite"};
                if (some(3) == 0) edit.projects = {"project-a", "project-c"};
                if (some(3) == 0) edit.default_project = "project-a";
                if (some(3) == 0) edit.limits = {{&priority::AccountLimits::core_hours, some(1000)}};
                book.add_user(edit);
                manager::ManualCharge charge{edit.user, edit.bank, {}, s.clock.now()};
                for (double& amount : charge.amounts) amount = some(2) * some(100000) / 16.0;
                book.charge(charge);
              }
              for (int i = 0; i < 60; i += 7)
                book.delete_user(fmt::format("user{}", i / 2), "", manager::InUse::refuse);
              book.delete_bank("bank11", manager::InUse::close);
            }),
            "no error");
  const auto tables = exported(tree());
  EXPECT_NE(tables.first.find("\nbank11,0,"), std::string::npos);
  EXPECT_NE(tables.second.find("\n0,user0,6000,"), std::string::npos);
  Other other;
  other.load("[accounting]\nhalf-life = '0'\nusage-weights = { core = 1, gpu = 10, energy = 0.25 }\n");
  const request::AccountTables read = read_tables(tables);
  manager::import_accounts(other.scenario().session, read);
  EXPECT_EQ(exported(other.tree()), tables);
  // And once more into what is there.
  manager::import_accounts(other.scenario().session, read);
  EXPECT_EQ(exported(other.tree()), tables);
}

TEST_F(Transfer, lines_of_another_width_and_columns_that_stand_twice_are_refused) {
  const auto refused = [](const std::string& text) {
    request::AccountTables tables;
    return error_text([&] { return request::read_user_table(text, "users.csv", tables).size(); });
  };
  EXPECT_EQ(refused("username,bank,shares\nada,physics,2\n"), "no error");
  EXPECT_EQ(refused("username,bank,shares\nada,physics\n"),
            "users.csv:2: 2 fields of 3 (one that is empty has its comma, too)");
  EXPECT_EQ(refused("ada,5001,physics,2\n"),
            "users.csv:1: 4 fields of 8 (one that is empty has its comma, too)");
  EXPECT_EQ(refused("username,bank,shares,bank\nada,physics,2,x\n"),
            "users.csv:1: column 'bank' stands there twice");
}

TEST_F(Transfer, what_has_no_counterpart_is_told) {
  request::AccountTables tables;
  EXPECT_EQ(request::read_user_table("username,bank,max_sched_jobs,creation_time\nada,physics,3,1\n",
                                     "users.csv", tables),
            std::vector<std::string>{"users.csv:1: column 'max_sched_jobs' is not taken"});
  const auto notes = request::read_slurm_dump(
      "Cluster - 'c':Fairshare=1:QOS='normal'\nParent - 'root'\n"
      "Account - 'physics':Description='x':Organization='y':Fairshare=3:GrpTRES=cpu=8,energy=5\n"
      "Parent - 'physics'\n"
      "User - "
      "'ada':DefaultAccount='physics':Fairshare=1:QOS='+expedite,normal':MaxWall=60:AdminLevel='Operator'\n"
      "User - 'bob':DefaultAccount='physics':Fairshare=1:MaxWall=60\n",
      "c.cfg", tables);
  EXPECT_EQ(notes,
            (std::vector<std::string>{
                "c.cfg:5: 'AdminLevel' is not taken", "c.cfg:3: 'GrpTRES=energy' is not taken",
                "c.cfg:5: 'MaxWall' is not taken, nor in 1 other line", "c.cfg:1: 'QOS' is not taken"}));
  EXPECT_EQ(tables.users.at(1).edit.qos, std::vector<std::string>{"expedite"});
  EXPECT_FALSE(tables.users.at(2).edit.qos);
}

TEST_F(Transfer, names_that_are_allowed_and_not_there_are_told_with_a_near_match) {
  load(kBatchAndDebug);
  add_bank("physics", 1);
  std::vector<std::string> unknown;
  EXPECT_EQ(edit([&](AccountBook& book) {
              book.add_project("laser");
              UserEdit ada = user("ada", "physics");
              ada.queues = {"batch", "bacth"};
              ada.qos = {"expedite", "expedit"};
              ada.projects = {"laser", "lasr"};
              ada.default_project = "laser";
              book.add_user(ada);
              unknown = book.unknown_names();
            }),
            "no error");
  EXPECT_EQ(unknown, (std::vector<std::string>{"there is no queue 'bacth' (did you mean 'batch'?)",
                                               "there is no QoS 'expedit' (did you mean 'expedite'?)",
                                               "there is no project 'lasr' (did you mean 'laser'?)"}));
}

}  // namespace
}  // namespace fq::test
