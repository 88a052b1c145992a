// What tests of accounts stand on: banks and users in them, submissions by others, and what is used.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "manager/accounts/edit.h"
#include "manager/accounts/overview.h"
#include "manager/core/queues_fixture.h"

namespace fq::test {

using manager::AccountBook;
using manager::AccountNode;
using manager::BankEdit;
using manager::UserEdit;

inline constexpr double kHour_s = 3600, kWeek_s = 7 * 24 * kHour_s;

class Accounts : public QueuesTest {
 protected:
  std::string edit(const std::function<void(AccountBook&)>& edits) {
    return error_text([&] {
      manager::change_accounts(s.session, nlohmann::json::object(), edits);
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
    const process::Names names{name, {name}};
    s.session.caller = {numbers().at(name), 1, std::make_shared<const process::Names>(names)};
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
    for (const AccountNode* each : request::require_user_nodes(all, user)) {
      if (each->parent == bank) return each->usage;
    }
    return -1;
  }
  double bank_usage(const std::string& bank) { return request::require_bank_node(tree(), bank).usage; }
  double factor(const std::string& user) {
    const manager::AccountTree all = tree();
    return request::require_user_nodes(all, user).front()->fair_share.value_or(-1);
  }
};

}  // namespace fq::test
