// Who shares what there is: banks in a tree below `root`, which owns everything, and users in banks. A user
// in a bank is an association; one user may have several.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "priority/account_limits.h"
#include "priority/use.h"

namespace fq::priority {

inline constexpr std::string_view kRootBank = "root";

/// How many banks may stand one below the other.
inline constexpr std::size_t kMaxBankDepth = 64;

/// What banks and associations have in common. The use of a bank is the sum of that of all below it.
struct Account : Use {
  double shares = 1;    ///< of what its parent has, beside its siblings'
  bool closed = false;  ///< deleted, and kept for what was used: takes no jobs and has no shares
  AccountLimits limits;

  /// What counts among its siblings.
  [[nodiscard]] double claim() const { return closed ? 0 : shares; }
};

struct Bank : Account {
  std::string name;
  std::string parent;         ///< empty: it is the root
  std::uint32_t members = 0;  ///< banks and associations right below it that are not closed
  double member_shares = 0;   ///< of these
};

struct Association : Account {
  std::uint32_t userid = 0;
  std::string user, bank;
  bool is_default = false;            ///< the bank of jobs that name none
  std::vector<std::string> queues;    ///< it may use; empty: all
  std::vector<std::string> qos;       ///< it may use beside those that are open to everybody
  std::vector<std::string> projects;  ///< its jobs may name; empty: all
  std::string default_project;        ///< of jobs that name none; empty: none
};

/// Why `name` can be the name of no bank, user or project (`what`), as a sentence that says what a name is;
/// empty where it can.
[[nodiscard]] std::string account_name_fault(std::string_view what, std::string_view name);

/// Users whom the system does not know have a stand-in for a number until they come: from here up.
inline constexpr std::uint32_t kFirstStandIn = 0xFFF00000, kLastStandIn = 0xFFFFFFF0;
[[nodiscard]] inline bool is_stand_in(std::uint32_t userid) {
  return userid >= kFirstStandIn && userid <= kLastStandIn;
}

}  // namespace fq::priority
