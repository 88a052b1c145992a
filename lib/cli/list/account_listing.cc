#include "cli/list/account_listing.h"

#include <array>
#include <functional>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "cli/format/format.h"
#include "cli/list/listing.h"
#include "priority/account.h"
#include "request/accounts.h"

namespace fq::cli {

using request::AccountNode;

namespace {

struct AccountRow {
  const AccountNode* node;
  std::size_t depth;
};

Value in(std::string& scratch, std::string text) {
  return Value{std::string_view{scratch = std::move(text)}};
}

template <std::int64_t priority::AccountLimits::*Limit>
Value limit(const AccountRow& row, std::string_view, std::string&) {
  const std::int64_t most = row.node->limits.*Limit;
  return most == priority::AccountLimits::kNone ? Value{} : Value{most};
}

std::string_view bank_of(const AccountNode& node) {
  return node.is_user ? node.parent : node.name;
}

template <std::size_t Resource>
Value total_hours(const AccountRow& row, std::string_view, std::string&) {
  constexpr double kHour = 3600;
  return Value{row.node->total[Resource] / kHour};
}

using Limits = priority::AccountLimits;

constexpr std::array kAccountFields{
    Field<AccountRow>{
        "bank", "BANK", "name of the bank",
        [](const AccountRow& r, std::string_view, std::string&) { return Value{bank_of(*r.node)}; }},
    Field<AccountRow>{"tree", "BANK", "the same, indented by its depth in the tree",
                      [](const AccountRow& r, std::string_view, std::string& scratch) {
                        return in(scratch, std::string(r.depth, ' ').append(bank_of(*r.node)));
                      }},
    Field<AccountRow>{"parent", "PARENT", "the bank that it is part of",
                      [](const AccountRow& r, std::string_view, std::string&) {
                        return Value{std::string_view{r.node->parent}};
                      }},
    Field<AccountRow>{"username", "USER", "name of the user",
                      [](const AccountRow& r, std::string_view, std::string&) {
                        return r.node->is_user ? Value{std::string_view{r.node->name}} : Value{};
                      }},
    Field<AccountRow>{"userid", "UID", "number of the user, where the system knows one",
                      [](const AccountRow& r, std::string_view, std::string&) {
                        const bool known = r.node->is_user && !priority::is_stand_in(r.node->userid);
                        return known ? Value{static_cast<std::int64_t>(r.node->userid)} : Value{};
                      }},
    Field<AccountRow>{"default", "DEFAULT", "yes for the bank of the user's jobs that name none",
                      [](const AccountRow& r, std::string_view, std::string&) {
                        return r.node->is_default ? Value{std::string_view{"yes"}} : Value{};
                      }},
    Field<AccountRow>{"state", "STATE", "open or closed",
                      [](const AccountRow& r, std::string_view, std::string&) {
                        return Value{std::string_view{r.node->closed ? "closed" : "open"}};
                      }},
    Field<AccountRow>{"shares", "SHARES", "shares of what its parent has",
                      [](const AccountRow& r, std::string_view, std::string& scratch) {
                        return in(scratch, fmt::format("{:g}", r.node->shares));
                      }},
    Field<AccountRow>{
        "allotted", "ALLOTTED", "the part of everything that this comes to",
        [](const AccountRow& r, std::string_view, std::string&) { return Value{r.node->allotted}; }},
    Field<AccountRow>{
        "usage", "USAGE", "what counts as used now: decayed, by weight, in seconds",
        [](const AccountRow& r, std::string_view, std::string&) { return Value{r.node->usage}; }},
    Field<AccountRow>{
        "effective_usage", "EFFECTIVE", "the part of all usage",
        [](const AccountRow& r, std::string_view, std::string&) { return Value{r.node->effective_usage}; }},
    Field<AccountRow>{"fair_share", "FAIRSHARE", "factor from 0 to 1; under ratio 0.5 is exactly served",
                      [](const AccountRow& r, std::string_view, std::string&) {
                        return r.node->fair_share ? Value{*r.node->fair_share} : Value{};
                      }},
    Field<AccountRow>{"rank", "RANK", "place among all users, under fair-tree",
                      [](const AccountRow& r, std::string_view, std::string&) {
                        return r.node->rank ? integer(*r.node->rank) : Value{};
                      }},
    Field<AccountRow>{"core_hours", "CORE-HOURS", "used in all, not decayed", total_hours<0>},
    Field<AccountRow>{"gpu_hours", "GPU-HOURS", "the same of GPUs", total_hours<1>},
    Field<AccountRow>{"node_hours", "NODE-HOURS", "the same of nodes", total_hours<2>},
    Field<AccountRow>{
        "running", "RUNNING", "jobs that run and are charged",
        [](const AccountRow& r, std::string_view, std::string&) { return integer(r.node->running); }},
    Field<AccountRow>{
        "active", "ACTIVE", "jobs that have not ended",
        [](const AccountRow& r, std::string_view, std::string&) { return integer(r.node->active_jobs); }},
    Field<AccountRow>{"max_running_jobs", "MAXRUN", "most running jobs", limit<&Limits::running_jobs>},
    Field<AccountRow>{"max_active_jobs", "MAXACTIVE", "most active jobs", limit<&Limits::active_jobs>},
    Field<AccountRow>{"max_nodes", "MAXNODES", "most nodes in use", limit<&Limits::nodes>},
    Field<AccountRow>{"max_cores", "MAXCORES", "most cores in use", limit<&Limits::cores>},
    Field<AccountRow>{"max_gpus", "MAXGPUS", "most GPUs in use", limit<&Limits::gpus>},
    Field<AccountRow>{"max_core_hours", "MAXCOREH", "most core-hours a month", limit<&Limits::core_hours>},
    Field<AccountRow>{"month_core_hours", "MONTH", "core-hours used this month",
                      [](const AccountRow& r, std::string_view, std::string&) {
                        return Value{r.node->month_core_seconds / 3600};
                      }},
    Field<AccountRow>{"queues", "QUEUES", "queues that the user may use in the bank, where not all",
                      [](const AccountRow& r, std::string_view, std::string& scratch) {
                        return in(scratch, join(r.node->queues, ","));
                      }},
    Field<AccountRow>{"qos", "QOS", "qualities of service that are granted",
                      [](const AccountRow& r, std::string_view, std::string& scratch) {
                        return in(scratch, join(r.node->qos, ","));
                      }},
    Field<AccountRow>{"projects", "PROJECTS", "projects that the user's jobs may name, where not all",
                      [](const AccountRow& r, std::string_view, std::string& scratch) {
                        return in(scratch, join(r.node->projects, ","));
                      }},
    Field<AccountRow>{"default_project", "DEFPROJECT", "project of jobs that name none",
                      [](const AccountRow& r, std::string_view, std::string&) {
                        return Value{std::string_view{r.node->default_project}};
                      }},
};

constexpr std::array kBankFormats{
    NamedFormat{"default", "shares, usage and limits",
                "+:{bank:<4} +:{parent:<6} +:{shares:>6} {usage:>12.1f} {fair_share:>9.4f} "
                "+:{running:>7} +:{active:>6} ?+:{max_running_jobs:>6} ?+:{max_active_jobs:>9} "
                "?+:{max_nodes:>8} ?+:{max_cores:>8} ?+:{max_gpus:>7} ?+:{max_core_hours:>8}"},
    NamedFormat{"hours", "what was used in all, and this month",
                "+:{bank:<4} {core_hours:>12.2f} {gpu_hours:>12.2f} {node_hours:>12.2f} "
                "{month_core_hours:>12.2f} ?+:{max_core_hours:>8}"},
};
constexpr std::array kUserFormats{
    NamedFormat{
        "default", "shares, usage and limits",
        "+:{username:<4} +:{bank:<4} ?+:{default:<7} +:{shares:>6} {usage:>12.1f} "
        "{fair_share:>9.4f} ?+:{rank:>4} +:{running:>7} +:{active:>6} ?+:{max_running_jobs:>6} "
        "?+:{max_active_jobs:>9} ?+:{max_nodes:>8} ?+:{max_cores:>8} ?+:{max_gpus:>7} "
        "?+:{max_core_hours:>8} ?+:{queues:<6} ?+:{qos:<3} ?+:{projects:<8} ?+:{default_project:<10}"},
    NamedFormat{"hours", "what was used in all, and this month",
                "+:{username:<4} +:{bank:<4} {core_hours:>12.2f} {gpu_hours:>12.2f} "
                "{node_hours:>12.2f} {month_core_hours:>12.2f} ?+:{max_core_hours:>8}"},
};
constexpr std::array kTreeFormats{
    NamedFormat{
        "parsable", "the same, separated by |",
        "{tree}|{username}|{shares}|{allotted:.6f}|{usage:.1f}|{effective_usage:.6f}|{fair_share:.6f}"},
    NamedFormat{"verbose", "and what was used in all",
                "+:{tree:<4} +:{username:<4} +:{shares:>6} {allotted:>8.4f} {usage:>12.1f} "
                "{effective_usage:>9.4f} {fair_share:>9.4f} {core_hours:>12.2f} {gpu_hours:>12.2f} "
                "{node_hours:>12.2f}"},
    NamedFormat{"hours", "what was used in all, and this month",
                "+:{tree:<4} +:{username:<4} {core_hours:>12.2f} {gpu_hours:>12.2f} {node_hours:>12.2f} "
                "{month_core_hours:>12.2f} ?+:{max_core_hours:>8}"},
    NamedFormat{"default", "shares, usage and what follows from them",
                "+:{tree:<4} +:{username:<4} +:{shares:>6} {allotted:>8.4f} {usage:>12.1f} "
                "{effective_usage:>9.4f} {fair_share:>9.4f} ?+:{rank:>4}"},
};

std::span<const Field<AccountRow>> account_fields() {
  return kAccountFields;
}

std::span<const NamedFormat> formats(AccountRows rows) {
  switch (rows) {
    case AccountRows::banks:
      return kBankFormats;
    case AccountRows::users:
      return kUserFormats;
    case AccountRows::tree:
      break;
  }
  return kTreeFormats;
}

std::string_view listing_name(AccountRows rows) {
  return rows == AccountRows::banks ? "banks" : rows == AccountRows::users ? "users" : "accounts";
}

nlohmann::json amounts(const priority::Amounts& of) {
  nlohmann::json object = nlohmann::json::object();
  for (std::size_t i = 0; i < priority::kResources; ++i)
    object[std::string{priority::kResourceNames[i]}] = of[i];
  return object;
}

nlohmann::json object_of(const AccountNode& node) {
  nlohmann::json object{{node.is_user ? "user" : "bank", node.name},
                        {"shares", node.shares},
                        {"allotted", node.allotted},
                        {"usage", node.usage},
                        {"effective_usage", node.effective_usage},
                        {"fairshare", node.fair_share ? nlohmann::json(*node.fair_share) : nlohmann::json()},
                        {"state", node.closed ? "closed" : "open"},
                        {"decayed_seconds", amounts(node.decayed)},
                        {"total_seconds", amounts(node.total)},
                        {"month_core_seconds", node.month_core_seconds},
                        {"running", node.running},
                        {"active", node.active_jobs}};
  if (!node.is_user) object["parent"] = node.parent;
  if (node.rank) object["rank"] = *node.rank;
  if (node.is_user) {
    object["in"] = node.parent;
    object["default"] = node.is_default;
    object["queues"] = node.queues;
    object["qos"] = node.qos;
    object["projects"] = node.projects;
    object["default_project"] = node.default_project;
    object["userid"] = priority::is_stand_in(node.userid) ? nlohmann::json() : nlohmann::json(node.userid);
  }
  nlohmann::json& limits = object["limits"] = nlohmann::json::object();
  for (const priority::LimitName& each : priority::kLimitNames) {
    const std::int64_t most = node.limits.*each.member;
    if (most != Limits::kNone) limits[std::string{each.name}] = most;
  }
  return object;
}

bool is_shown(const AccountNode& node) {
  return !node.closed || node.usage > 0;
}

bool is_shown(const AccountNode& node, const TreeOf& of) {
  return is_shown(node) && (of.users || !node.is_user) && (node.is_user || node.name != of.without);
}

nlohmann::json nested(const AccountNode& node, const TreeOf& of) {
  nlohmann::json object = object_of(node);
  if (node.is_user) return object;
  nlohmann::json& children = object["children"] = nlohmann::json::array();
  for (const AccountNode& child : node.children) {
    if (is_shown(child, of)) children.push_back(nested(child, of));
  }
  return object;
}

std::string listed(std::vector<AccountRow> rows, AccountRows kind, const ListingOptions& options) {
  Format<AccountRow> format = arrange(rows, options, listing_name(kind), formats(kind), account_fields());
  return format.list(rows, options.no_header);
}

}  // namespace

std::string list_accounts(const std::vector<const AccountNode*>& nodes, AccountRows rows,
                          const ListingOptions& options) {
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const AccountNode* node : nodes) list.push_back(object_of(*node));
    return dump_json({{std::string{listing_name(rows)}, list}}) + '\n';
  }
  std::vector<AccountRow> all;
  for (const AccountNode* node : nodes) all.push_back({node, 0});
  return listed(std::move(all), rows, options);
}

std::string list_account_tree(const AccountNode& bank, const ListingOptions& options, TreeOf of) {
  if (options.json) return dump_json(nested(bank, of)) + '\n';
  std::vector<AccountRow> rows;
  const std::function<void(const AccountNode&, std::size_t)> visit = [&](const AccountNode& node,
                                                                         std::size_t depth) {
    rows.push_back({&node, depth});
    for (const AccountNode& child : node.children) {
      if (is_shown(child, of)) visit(child, depth + 1);
    }
  };
  visit(bank, 0);
  return listed(std::move(rows), AccountRows::tree, options);
}

std::optional<std::string> account_formats_told(AccountRows rows, const ListingOptions& options) {
  return told_of_formats(options, listing_name(rows), formats(rows), account_fields());
}

void check_account_listing(AccountRows rows, const ListingOptions& options) {
  check_arrangement(options, listing_name(rows), formats(rows), account_fields());
}

}  // namespace fq::cli
