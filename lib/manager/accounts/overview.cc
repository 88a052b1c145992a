#include "manager/accounts/overview.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "manager/accounts/usage_report.h"
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
    node.userid = of.userid;
    node.is_default = of.is_default;
    node.queues = of.queues;
    node.qos = of.qos;
    node.projects = of.projects;
    node.default_project = of.default_project;
    node.active_jobs = records::active_jobs(reader_, bank, of.userid);
    return node;
  }

  [[nodiscard]] AccountNode common(const ShareNode& shares, const priority::Account& account,
                                   const std::string& parent, double allotted) const {
    AccountNode node;
    node.name = shares.name;
    node.parent = parent;
    node.shares = account.shares;
    node.closed = account.closed;
    node.running = account.running;
    node.limits = account.limits;
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

namespace {

std::vector<request::Project> read_projects(const store::Reader& reader, const Session& session) {
  std::vector<request::Project> projects;
  for (const records::Project& each : records::read_projects(reader))
    projects.push_back({each.name, each.description, 0, {}, {}});
  if (projects.empty()) return projects;
  std::map<std::string, ReportRow> used;
  ReportRequest by_project;
  by_project.by = {ReportBy::project};
  for (ReportRow& row : usage_report(reader, session, by_project)) {
    if (row.key.size() == 1) used[row.key.front()] = std::move(row);
  }
  const std::vector<Association> associations = records::read_associations(reader);
  for (request::Project& project : projects) {
    project.jobs = used[project.name].jobs;
    project.seconds = used[project.name].seconds;
    for (const Association& each : associations) {
      const auto& named = each.projects;
      if (!each.closed && std::find(named.begin(), named.end(), project.name) != named.end())
        project.users.push_back(fmt::format("{}:{}", each.user, each.bank));
    }
  }
  return projects;
}

}  // namespace

std::vector<request::Project> projects(const Session& session) {
  std::vector<request::Project> found;
  query_repaired(session, [&](const store::Reader& reader) { found = read_projects(reader, session); });
  return found;
}

}  // namespace fq::manager
