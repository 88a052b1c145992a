#include "manager/accounts/transfer.h"

#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "manager/accounts/edit.h"
#include "process/user/user_database.h"
#include "request/account_tables.h"

namespace fq::manager {

namespace {

// Banks in an order in which each comes behind the one that it is part of, where that is among them.
std::vector<const PlacedBank*> parents_first(const std::vector<PlacedBank>& banks) {
  std::map<std::string, const PlacedBank*> by_name;
  for (const PlacedBank& each : banks) {
    if (!by_name.emplace(each.edit.name, &each).second)
      throw error(Kind::invalid, "{}: bank {} stands here twice", each.place, quote(each.edit.name));
  }
  std::vector<const PlacedBank*> order;
  std::set<std::string> done, open;
  const std::function<void(const PlacedBank&)> visit = [&](const PlacedBank& bank) {
    if (done.contains(bank.edit.name)) return;
    if (!open.insert(bank.edit.name).second)
      throw error(Kind::invalid, "{}: bank {} is part of itself", bank.place, quote(bank.edit.name));
    const auto parent = by_name.find(bank.edit.parent.value_or(""));
    if (parent != by_name.end()) visit(*parent->second);
    done.insert(bank.edit.name);
    order.push_back(&bank);
  };
  for (const PlacedBank& each : banks) visit(each);
  return order;
}

}  // namespace

TransferCounts import_accounts(const Session& session, const AccountTables& tables) {
  require_account_access(session);
  AccountTables wanted = tables;
  std::map<std::string, std::optional<std::uint32_t>> numbers;
  for (PlacedUser& each : wanted.users) {
    if (each.edit.userid) continue;
    const auto [at, is_new] = numbers.try_emplace(each.edit.user);
    if (is_new) at->second = process::look_up_user(each.edit.user);
    each.edit.userid = at->second;
  }
  TransferCounts counts;
  const nlohmann::json event{
      {"do", "import"}, {"banks", wanted.banks.size()}, {"users", wanted.users.size()}};
  change_accounts(session, event, [&](AccountBook& book) { counts = import_into(book, wanted); });
  return counts;
}

TransferCounts import_into(AccountBook& book, const AccountTables& wanted) {
  TransferCounts counts;
  const std::vector<const PlacedBank*> banks = parents_first(wanted.banks);
  for (const PlacedBank* each : banks) {
    request::at_place(each->place, [&] {
      const bool is_new = !book.has_bank(each->edit.name);
      ++(is_new ? counts.banks_added : counts.banks_changed);
      is_new ? book.add_bank(each->edit) : book.edit_bank(each->edit);
    });
  }
  std::set<std::pair<std::string_view, std::string_view>> placed;
  for (const PlacedUser& each : wanted.users) {
    request::at_place(each.place, [&] {
      if (!placed.emplace(each.edit.user, each.edit.bank).second)
        throw error(Kind::invalid, "user {} stands here twice in bank {}", quote(each.edit.user),
                    quote(each.edit.bank));
      const bool is_new = !book.has_user(each.edit.user, each.edit.bank);
      ++(is_new ? counts.users_added : counts.users_changed);
      UserEdit edit = each.edit;
      if (is_new) {
        book.add_user(edit);
        if (!edit.core_seconds && !edit.decayed) return;
      }
      // The number of who is known stays.
      if (is_new || book.is_known(edit.user)) edit.userid.reset();
      book.edit_user(edit);
    });
  }
  // Those that were deleted are closed when all that they had is there, what is in a bank before the bank.
  for (const PlacedUser& each : wanted.users) {
    if (!each.edit.closed) continue;
    request::at_place(each.place, [&] { book.close_user(each.edit.user, each.edit.bank); });
  }
  for (auto each = banks.rbegin(); each != banks.rend(); ++each) {
    if (!(*each)->edit.closed) continue;
    request::at_place((*each)->place, [&] { book.close_bank((*each)->edit.name); });
  }
  counts.unknown = book.unknown_names();
  return counts;
}

}  // namespace fq::manager
