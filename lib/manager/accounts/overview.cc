#include "manager/accounts/overview.h"

#include <functional>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "records/accounts.h"
#include "records/fair_shares.h"
#include "records/store_time.h"

namespace fq::manager {

using priority::Association;
using priority::Bank;
using priority::FairShareAlgorithm;
using priority::ShareNode;

namespace {

class Builder {
 public:
  Builder(const store::Reader& reader, const priority::Accounting& accounting, double now)
      : reader_(reader), accounting_(accounting), now_(now) {
    const std::vector<Bank> banks = records::read_banks(reader);
    const std::vector<Association> associations = records::read_associations(reader);
    shares_ = records::share_tree(banks, associations, accounting, now);
    priority::compute_fair_share(shares_, accounting.fair_share);
    for (const Bank& bank : banks) banks_.emplace(bank.name, bank);
    for (const Association& each : associations) members_[each.bank].emplace(each.user, each);
  }

  AccountNode build() { return bank(shares_, {}, 1); }

 private:
  AccountNode bank(const ShareNode& shares, const std::string& parent, double allotted) {
    const Bank& of = banks_.at(shares.name);
    AccountNode node = common(shares, of, parent, allotted);
    node.active_jobs = records::active_jobs(reader_, of.name);
    for (const ShareNode& child : shares.children) {
      const double part = of.member_shares > 0 ? child.shares / of.member_shares * allotted : 0;
      node.children.push_back(child.is_user ? user(child, of.name, part) : bank(child, of.name, part));
      if (!child.is_user) node.active_jobs += node.children.back().active_jobs;
    }
    return node;
  }

  AccountNode user(const ShareNode& shares, const std::string& bank, double allotted) {
    const Association& of = members_.at(bank).at(shares.name);
    AccountNode node = common(shares, of, bank, allotted);
    node.is_user = true;
    node.association = of;
    node.active_jobs = records::active_jobs(reader_, bank, of.userid);
    return node;
  }

  [[nodiscard]] AccountNode common(const ShareNode& shares, const priority::Account& account,
                                   const std::string& parent, double allotted) const {
    AccountNode node;
    node.name = shares.name;
    node.parent = parent;
    node.account = account;
    node.decayed = account.usage.at(now_, accounting_.rate());
    node.total = account.usage.total_at(now_);
    node.month_core_seconds = account.spent(accounting_.counted_at(now_));
    node.usage = shares.usage;
    node.allotted = allotted;
    node.effective_usage = shares_.usage > 0 ? shares.usage / shares_.usage : 0;
    const bool has_factor = shares.is_user || accounting_.fair_share == FairShareAlgorithm::ratio;
    if (has_factor && !account.closed) node.fair_share = shares.fair_share;
    if (!account.closed) node.rank = shares.rank;
    return node;
  }

  const store::Reader& reader_;
  const priority::Accounting& accounting_;
  double now_;
  ShareNode shares_;
  std::map<std::string, Bank> banks_;
  std::map<std::string, std::map<std::string, Association>> members_;  // by bank and user
};

std::vector<const AccountNode*> nodes(const AccountTree& tree,
                                      const std::function<bool(const AccountNode&)>& wanted) {
  std::vector<const AccountNode*> found;
  const std::function<void(const AccountNode&)> visit = [&](const AccountNode& node) {
    if (wanted(node)) found.push_back(&node);
    for (const AccountNode& child : node.children) visit(child);
  };
  if (tree.exists) visit(tree.root);
  return found;
}

std::vector<std::string> names_of(const std::vector<const AccountNode*>& all) {
  std::vector<std::string> names;
  for (const AccountNode* each : all) names.push_back(each->name);
  return names;
}

}  // namespace

AccountTree account_tree(const store::Reader& reader, const Session& session) {
  const double now = records::store_time(reader, *session.clock).now;
  AccountTree tree;
  tree.exists = records::has_accounts(reader);
  tree.accounting = records::read_accounting(reader);
  if (tree.exists) tree.root = Builder(reader, tree.accounting, now).build();
  return tree;
}

AccountTree account_tree(const Session& session) {
  AccountTree tree;
  query_repaired(session, [&](const store::Reader& reader) { tree = account_tree(reader, session); });
  return tree;
}

std::vector<std::string> projects(const Session& session) {
  std::vector<std::string> names;
  query(session, [&](const store::Reader& reader) { names = records::read_projects(reader); });
  return names;
}

std::vector<const AccountNode*> bank_nodes(const AccountTree& tree, bool closed) {
  return nodes(tree,
               [&](const AccountNode& node) { return !node.is_user && (closed || !node.account.closed); });
}

std::vector<const AccountNode*> user_nodes(const AccountTree& tree, bool closed) {
  return nodes(tree,
               [&](const AccountNode& node) { return node.is_user && (closed || !node.account.closed); });
}

const AccountNode& require_bank_node(const AccountTree& tree, std::string_view name) {
  const auto all = bank_nodes(tree, true);
  for (const AccountNode* each : all) {
    if (each->name == name) return *each;
  }
  throw Error{Kind::not_found, fmt::format("bank {} does not exist", quote(name)),
              tree.exists ? did_you_mean(name, names_of(all)) : "there are no accounts: fq account add-bank"};
}

std::vector<const AccountNode*> require_user_nodes(const AccountTree& tree, std::string_view user) {
  const auto all = user_nodes(tree, true);
  std::vector<const AccountNode*> found;
  for (const AccountNode* each : all) {
    if (each->name == user) found.push_back(each);
  }
  if (!found.empty()) return found;
  throw Error{Kind::not_found, fmt::format("user {} is in no bank", quote(user)),
              tree.exists ? did_you_mean(user, names_of(all)) : "there are no accounts: fq account add-bank"};
}

}  // namespace fq::manager
