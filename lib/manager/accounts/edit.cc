#include "manager/accounts/edit.h"

#include <nlohmann/json.hpp>

#include "manager/core/permission.h"
#include "records/accounts.h"
#include "records/instance.h"

namespace fq::manager {

void edit_accounts(const Session& session, const nlohmann::json& event,
                   const std::function<void(AccountBook&)>& edits) {
  transact(session, [&](Change& change) {
    require_owner(change, "only the owner may change accounts");
    AccountBook book(change);
    edits(book);
    book.write();
    document::Event logged;
    logged.timestamp = change.now();
    logged.name = "account";
    logged.context = event;
    logged.context["userid"] = change.caller().uid;
    records::log_instance_event(change.transaction(), logged);
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
