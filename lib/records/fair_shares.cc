#include "records/fair_shares.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/error.h"
#include "base/text.h"

namespace fq::records {

using priority::Account;
using priority::Association;
using priority::Bank;
using priority::FairShareAlgorithm;
using priority::ShareNode;
using priority::ShareStep;

namespace {

/// Looking up one association costs as much as reading so many in a row.
constexpr std::size_t kFewMembers = 32;

}  // namespace

double FairShares::usage(const Account& account) const {
  return priority::weighted(account.usage.at(now_, accounting_.rate()), accounting_.weights);
}

double FairShares::of(std::uint32_t userid, std::string_view bank) {
  if (!exist_) {
    exist_ = has_accounts(*reader_);
    if (*exist_) accounting_ = read_accounting(*reader_);
    if (*exist_ && accounting_.fair_share == FairShareAlgorithm::fair_tree) rank_tree();
  }
  if (!*exist_) return 1;
  Member member{userid, bank};
  const auto known = factors_.find(member);
  if (known != factors_.end()) return known->second;
  if (bank.empty()) {
    const auto all = associations_of(*reader_, userid);
    const Association* chosen = default_among(all);
    return factors_[member] = chosen == nullptr ? 0 : of(userid, chosen->bank);
  }
  // Under fair-tree all are known: this one is nobody's.
  const bool is_ranked = accounting_.fair_share == FairShareAlgorithm::fair_tree;
  return factors_[member] = is_ranked ? 0 : ratio(member);
}

const FairShares::Claim* FairShares::bank(const std::string& name) {
  const auto known = banks_.find(name);
  if (known != banks_.end()) return known->second ? &*known->second : nullptr;
  std::optional<Claim> claim;
  if (const auto found = find_bank(*reader_, name))
    claim = Claim{found->parent, found->claim(), usage(*found), found->member_shares};
  const auto at = banks_.emplace(name, std::move(claim)).first;
  return at->second ? &*at->second : nullptr;
}

std::optional<FairShares::Claim> FairShares::member(const Member& of) {
  if (!all_read_ && factors_.size() >= kFewMembers) read_all_members();
  if (all_read_) {
    const auto found = members_.find(of);
    return found == members_.end() ? std::nullopt : std::optional{found->second};
  }
  const auto found = find_association(*reader_, of.first, of.second);
  if (!found) return std::nullopt;
  return Claim{found->bank, found->claim(), usage(*found)};
}

void FairShares::read_all_members() {
  for (const Association& each : read_associations(*reader_))
    members_.emplace(Member{each.userid, each.bank}, Claim{each.bank, each.claim(), usage(each)});
  all_read_ = true;
}

double FairShares::ratio(const Member& of) {
  const auto user = member(of);
  if (!user) return 0;
  std::vector<ShareStep> way;
  const Claim* below = &*user;
  double root_usage = 0;
  while (!below->parent.empty() && way.size() <= priority::kMaxBankDepth) {
    const Claim* above = bank(below->parent);
    if (above == nullptr) throw error(Kind::unavailable, "bank {} is missing", quote(below->parent));
    way.push_back({below->shares, above->member_shares, below->usage});
    root_usage = above->usage;
    below = above;
  }
  std::reverse(way.begin(), way.end());
  return priority::ratio_of(way, root_usage);
}

void FairShares::rank_tree() {
  // Users by name are what the tree has, users by number what jobs have.
  std::map<std::string, std::uint32_t> numbers;
  const std::vector<Association> associations = read_associations(*reader_);
  for (const Association& each : associations) numbers.emplace(each.user, each.userid);
  ShareNode tree = share_tree(read_banks(*reader_), associations, accounting_, now_);
  priority::compute_fair_share(tree, accounting_.fair_share);
  const std::function<void(const ShareNode&)> visit = [&](const ShareNode& bank) {
    for (const ShareNode& child : bank.children) {
      if (child.is_user) {
        factors_[{numbers.at(child.name), bank.name}] = child.fair_share;
      } else {
        visit(child);
      }
    }
  };
  visit(tree);
}

ShareNode share_tree(const std::vector<Bank>& banks, const std::vector<Association>& associations,
                     const priority::Accounting& accounting, double now) {
  const auto node = [&](const std::string& name, const Account& account, bool is_user) {
    const double usage = priority::weighted(account.usage.at(now, accounting.rate()), accounting.weights);
    ShareNode result;
    result.name = name;
    result.is_user = is_user;
    result.shares = account.claim();
    result.usage = usage;
    return result;
  };
  std::map<std::string, std::vector<ShareNode>> below;  // by the name of the parent
  for (const Association& each : associations) below[each.bank].push_back(node(each.user, each, true));
  std::map<std::string, std::vector<const Bank*>> banks_below;
  const Bank* root = nullptr;
  for (const Bank& bank : banks) {
    if (bank.parent.empty()) root = &bank;
    banks_below[bank.parent].push_back(&bank);
  }
  if (root == nullptr) throw error(Kind::unavailable, "there is no bank 'root'");
  const std::function<ShareNode(const Bank&)> build = [&](const Bank& bank) {
    ShareNode result = node(bank.name, bank, false);
    for (const Bank* child : banks_below[bank.name]) result.children.push_back(build(*child));
    std::vector<ShareNode>& users = below[bank.name];
    std::sort(users.begin(), users.end(),
              [](const ShareNode& a, const ShareNode& b) { return a.name < b.name; });
    std::move(users.begin(), users.end(), std::back_inserter(result.children));
    return result;
  };
  return build(*root);
}

}  // namespace fq::records
