#include "manager/accounts/edit.h"

#include <nlohmann/json.hpp>

#include "manager/core/log_act.h"
#include "manager/core/permission.h"
#include "process/user/user_database.h"
#include "records/accounts.h"
#include "records/instance.h"

namespace fq::manager {
namespace {

using nlohmann::json;

constexpr std::string_view kChangeAccounts = "change accounts";

// What the log of the store says of an edit (`event`), and what it does to the book (`apply`).

json limits_json(const LimitEdits& limits) {
  json object = json::object();
  for (const auto& [member, most] : limits) {
    for (const priority::LimitName& each : priority::kLimitNames) {
      if (each.member == member) object[std::string{each.name}] = most;
    }
  }
  return object;
}

json bank_event(const BankEdit& edit, std::string_view action) {
  json event{{"do", action}, {"bank", edit.name}};
  if (edit.parent) event["parent"] = *edit.parent;
  if (edit.shares) event["shares"] = *edit.shares;
  if (!edit.limits.empty()) event["limits"] = limits_json(edit.limits);
  return event;
}

json user_event(const UserEdit& edit, std::string_view action) {
  json event{{"do", action}, {"user", edit.user}};
  if (!edit.bank.empty()) event["bank"] = edit.bank;
  if (edit.shares) event["shares"] = *edit.shares;
  if (edit.userid) event["number"] = *edit.userid;
  if (edit.queues) event["queues"] = *edit.queues;
  if (edit.qos) event["qos"] = *edit.qos;
  if (edit.projects) event["projects"] = *edit.projects;
  if (edit.default_project) event["default_project"] = *edit.default_project;
  if (edit.default_bank) event["default_bank"] = *edit.default_bank;
  if (edit.make_default) event["default"] = true;
  if (edit.core_seconds) event["core_seconds"] = *edit.core_seconds;
  if (!edit.limits.empty()) event["limits"] = limits_json(edit.limits);
  return event;
}

json event(const request::AddBank& edit) {
  return bank_event(edit.bank, "add-bank");
}
void apply(AccountBook& book, const request::AddBank& edit) {
  book.add_bank(edit.bank);
}

json event(const request::EditBank& edit) {
  return bank_event(edit.bank, "edit-bank");
}
void apply(AccountBook& book, const request::EditBank& edit) {
  book.edit_bank(edit.bank);
}

json event(const request::DeleteBank& edit) {
  return {{"do", "delete-bank"}, {"bank", edit.name}, {"force", edit.in_use == InUse::close}};
}
void apply(AccountBook& book, const request::DeleteBank& edit) {
  book.delete_bank(edit.name, edit.in_use);
}

json event(const request::AddUser& edit) {
  return user_event(edit.user, "add-user");
}
void apply(AccountBook& book, const request::AddUser& edit) {
  book.add_user(edit.user);
}

json event(const request::EditUser& edit) {
  return user_event(edit.user, "edit-user");
}
void apply(AccountBook& book, const request::EditUser& edit) {
  book.edit_user(edit.user);
}

json event(const request::DeleteUser& edit) {
  json event{{"do", "delete-user"}, {"user", edit.user}, {"force", edit.in_use == InUse::close}};
  if (!edit.bank.empty()) event["bank"] = edit.bank;
  return event;
}
void apply(AccountBook& book, const request::DeleteUser& edit) {
  book.delete_user(edit.user, edit.bank, edit.in_use);
}

json event(const request::AddProject& edit) {
  return {{"do", "add-project"}, {"project", edit.name}, {"description", edit.description}};
}
void apply(AccountBook& book, const request::AddProject& edit) {
  book.add_project(edit.name, edit.description);
}

json event(const request::EditProject& edit) {
  return {{"do", "edit-project"}, {"project", edit.name}, {"description", edit.description}};
}
void apply(AccountBook& book, const request::EditProject& edit) {
  book.edit_project(edit.name, edit.description);
}

json event(const request::DeleteProject& edit) {
  return {{"do", "delete-project"}, {"project", edit.name}, {"force", edit.in_use == InUse::close}};
}
void apply(AccountBook& book, const request::DeleteProject& edit) {
  book.delete_project(edit.name, edit.in_use);
}

json event(const request::Charge& edit) {
  const ManualCharge& charge = edit.charge;
  json event{{"do", "charge"}, {"user", charge.user}, {"bank", charge.bank}, {"at", charge.at}};
  for (std::size_t i = 0; i < priority::kResources; ++i) {
    if (charge.amounts[i] != 0) event[std::string{priority::kAmountNames[i]}] = charge.amounts[i];
  }
  if (!edit.reason.empty()) event["reason"] = edit.reason;
  return event;
}
void apply(AccountBook& book, const request::Charge& edit) {
  book.charge(edit.charge);
}

json event(const request::ClearUsage& edit) {
  return {{"do", "clear-usage"}, {"banks", edit.banks}};
}
void apply(AccountBook& book, const request::ClearUsage& edit) {
  for (const std::string& bank : edit.banks) book.clear_usage(bank);
}

}  // namespace

request::EditAccountsReply edit_accounts(const Session& session,
                                         const request::EditAccountsRequest& request) {
  auto edit = request.edit;
  auto* added = std::get_if<request::AddUser>(&edit);
  if (added != nullptr && !added->user.userid) {
    require_account_access(session);
    added->user.userid = process::look_up_user(added->user.user);
  }
  request::EditAccountsReply reply;
  std::visit(
      [&](const auto& one) {
        change_accounts(session, event(one), [&](AccountBook& book) {
          apply(book, one);
          if (added != nullptr) reply.known = book.is_known(added->user.user);
          reply.unknown = book.unknown_names();
        });
      },
      edit);
  return reply;
}

void require_account_access(const Session& session) {
  require_operator(session, kChangeAccounts);
}

void change_accounts(const Session& session, const nlohmann::json& event,
                     const std::function<void(AccountBook&)>& edits) {
  transact(session, [&](Change& change) {
    require_operator(change, kChangeAccounts);
    AccountBook book(change);
    edits(book);
    book.write();
    log_act(change, "account", event);
  });
}

void settle_usage(Change& change, const priority::Accounting& accounting) {
  store::Transaction& transaction = change.transaction();
  const priority::CountedAt at = accounting.counted_at(change.now());
  for (priority::Bank& bank : records::read_banks(transaction)) {
    bank.advance(at);
    records::write(transaction, bank);
  }
  for (priority::Association& association : records::read_associations(transaction)) {
    association.advance(at);
    records::write(transaction, association);
  }
}

}  // namespace fq::manager
