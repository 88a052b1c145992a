// Requests that change accounts. All are the owner's, and operators'.

#pragma once

#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "manager/accounts/book.h"
#include "manager/engine/session.h"

namespace fq::manager {

/// Does one edit. Throws as request::EditAccountsRequest is refused.
[[nodiscard]] request::EditAccountsReply edit_accounts(const Session& session,
                                                       const request::EditAccountsRequest& request);

/// Throws Error{permission} unless the caller may change accounts: before anything is looked up.
void require_account_access(const Session& session);

/// Runs `edits` on the book of accounts in one transaction: all of it, or nothing where it throws. `event`,
/// an object, is what instance.eventlog says of it, beside who did it. `edits` may run more than once. Throws
/// Error{permission} unless the caller is an operator.
void change_accounts(const Session& session, const nlohmann::json& event,
                     const std::function<void(AccountBook&)>& edits);

/// Brings what everybody has used to now, as it was counted until now: to be called where that has changed.
void settle_usage(Change& change, const priority::Accounting& accounting);

}  // namespace fq::manager
