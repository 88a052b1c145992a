// Bringing in accounts from tables (request/account_tables.h).

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "manager/accounts/book.h"
#include "manager/accounts/overview.h"
#include "request/accounts.h"

namespace fq::manager {

using request::AccountTables;
using request::PlacedBank;
using request::PlacedUser;
using request::TransferCounts;

/// Adds what is not there and changes what is, in one transaction. Throws Error with the place of the first
/// that cannot be.
TransferCounts import_accounts(const Session& session, const AccountTables& tables);

/// The same as a part of what else is done to `book`. Users without a number get a stand-in.
TransferCounts import_into(AccountBook& book, const AccountTables& tables);

}  // namespace fq::manager
