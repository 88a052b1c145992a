// The fair-share of users at one moment, from the accounts of a store.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "priority/accounting.h"
#include "priority/fair_share.h"
#include "records/accounts.h"
#include "store/reader.h"

namespace fq::records {

class FairShares {
 public:
  /// At `now`, seconds since the epoch. Nothing is read before it is asked for; `reader` outlives this, and
  /// what is written meanwhile is not seen.
  FairShares(const store::Reader& reader, double now) : reader_(&reader), now_(now) {}

  /// The factor of a user's jobs that are charged to that bank, the user's default where it is empty. 1
  /// without accounts, where all are equal; 0 for who is in no such bank.
  [[nodiscard]] double of(std::uint32_t userid, std::string_view bank);

 private:
  // What the ratio takes of a bank or an association.
  struct Claim {
    std::string parent;
    double shares = 0, usage = 0;
    double member_shares = 0;  ///< of a bank
  };
  using Member = std::pair<std::uint32_t, std::string>;  ///< user and bank

  [[nodiscard]] double usage(const priority::Account& account) const;
  [[nodiscard]] const Claim* bank(const std::string& name);
  [[nodiscard]] std::optional<Claim> member(const Member& of);
  [[nodiscard]] double ratio(const Member& of);
  void read_all_members();
  void rank_tree();

  const store::Reader* reader_;
  double now_;
  std::optional<bool> exist_;
  priority::Accounting accounting_;
  std::map<std::string, std::optional<Claim>> banks_;
  std::map<Member, Claim> members_;  ///< once all are read
  bool all_read_ = false;
  std::map<Member, double> factors_;
};

/// The tree of these at `now`: of each bank the banks by name, then the users, with their weighted usage;
/// closed ones have no shares. Throws Error{unavailable} where there is no root.
[[nodiscard]] priority::ShareNode share_tree(const std::vector<priority::Bank>& banks,
                                             const std::vector<priority::Association>& associations,
                                             const priority::Accounting& accounting, double now);

}  // namespace fq::records
