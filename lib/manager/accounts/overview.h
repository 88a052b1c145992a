// Accounts as readers see them: the tree of banks and users with what each has used, is entitled to, and gets
// for it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/engine/session.h"
#include "priority/account.h"
#include "priority/accounting.h"
#include "request/accounts.h"
#include "store/reader.h"

namespace fq::manager {

using request::AccountNode;
using request::AccountTree;

/// As it is now.
[[nodiscard]] AccountTree account_tree(const store::Reader& reader, const Session& session);
[[nodiscard]] AccountTree account_tree(const Session& session);

/// The projects, by name, with what was used for each. Without any, jobs may name what they like.
[[nodiscard]] std::vector<request::Project> projects(const Session& session);

}  // namespace fq::manager
