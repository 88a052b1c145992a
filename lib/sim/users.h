// Who the users of a trace are in the simulated store, and in its accounts.
//
// A user with a name is the user of that name in the accounts, one with a number the user of that number.
// Where the accounts have no such number the others of the accounts stand in, in their order: the user of the
// least number that is left is the first of them. Who then is nobody in the accounts is a stranger to them,
// as in a store. The groups that a user is in are those that the trace names.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "manager/engine/session.h"
#include "request/accounts.h"
#include "sim/trace.h"

namespace fq::sim {

class Users {
 public:
  Users(const Trace& trace, const request::AccountTables& accounts);

  /// As whom a user of the trace submits; -1: nobody known.
  [[nodiscard]] const manager::Credential& credential(std::int64_t user) const {
    return credentials_.at(user);
  }
  /// Those of users that have one, by the number in the trace.
  [[nodiscard]] const std::map<std::int64_t, std::string>& names() const { return names_; }
  /// The accounts, each user with a number.
  [[nodiscard]] const request::AccountTables& accounts() const { return accounts_; }

 private:
  request::AccountTables accounts_;
  std::map<std::int64_t, manager::Credential> credentials_;
  std::map<std::int64_t, std::string> names_;
};

}  // namespace fq::sim
