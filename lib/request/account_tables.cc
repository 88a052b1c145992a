#include "request/account_tables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "base/csv.h"
#include "base/error.h"
#include "base/text.h"

namespace fq::request {

using priority::AccountLimits;

namespace {

/// What flux-accounting writes for a limit that is none.
constexpr std::int64_t kUnlimited = 2147483647;

struct LimitColumn {
  std::string_view name;
  std::int64_t AccountLimits::*member;
};
constexpr std::array kLimitColumns{LimitColumn{"max_running_jobs", &AccountLimits::running_jobs},
                                   LimitColumn{"max_active_jobs", &AccountLimits::active_jobs},
                                   LimitColumn{"max_nodes", &AccountLimits::nodes},
                                   LimitColumn{"max_cores", &AccountLimits::cores},
                                   LimitColumn{"max_gpus", &AccountLimits::gpus},
                                   LimitColumn{"max_core_hours", &AccountLimits::core_hours}};
// Columns of flux-accounting that follow from others here.
constexpr std::array<std::string_view, 4> kDerived{"creation_time", "mod_time", "fairshare", "bank_id"};
// Those that have no counterpart.
constexpr std::array<std::string_view, 4> kPassedOver{"max_sched_jobs", "priority", "ignore_older_than",
                                                      "max_sched_nodes"};

std::string plain_name(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_' && c != ' ' && c != '-')
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

double number(const std::string& what, const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc{} && end == text.data() + text.size() && value >= 0 && std::isfinite(value))
    return value;
  throw error(Kind::invalid, "{}: expected a number that is not negative, got {}", what, quote(text));
}

std::int64_t limit(const std::string& what, const std::string& text) {
  if (text == "unlimited" || text == "-1") return AccountLimits::kNone;
  const double value = number(what, text);
  return value >= static_cast<double>(kUnlimited) ? AccountLimits::kNone : static_cast<std::int64_t>(value);
}

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view name : split(text, ',')) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

// A table whose columns are found by their names.
class Table {
 public:
  using Columns = std::vector<std::string_view>;

  // `known` are the columns that are read, `unnamed` those of a table whose first line names none of them.
  Table(std::string_view text, const std::string& name, const Columns& known, const Columns& unnamed)
      : name_(name) {
    try {
      rows_ = parse_csv(text);
    } catch (const Error& failure) {
      throw failure.within(name);
    }
    if (rows_.empty()) return;
    const std::vector<std::string>& first = rows_.front().fields;
    const bool named = std::any_of(first.begin(), first.end(), [&](const std::string& field) {
      return std::any_of(known.begin(), known.end(),
                         [&](std::string_view column) { return plain_name(field) == plain_name(column); });
    });
    width_ = named ? first.size() : unnamed.size();
    if (!named) {
      for (std::size_t i = 0; i < unnamed.size(); ++i) columns_.emplace(unnamed[i], i);
      return;
    }
    for (std::size_t i = 0; i < first.size(); ++i) add_column(first[i], i, known);
    next_ = 1;
  }

  // Headings of what is not taken.
  [[nodiscard]] const std::vector<std::string>& passed_over() const { return passed_over_; }

  // Throws for a row of more fields than there are columns, or less: what stands where would not be known.
  [[nodiscard]] bool next() {
    if (next_ == rows_.size()) return false;
    row_ = &rows_[next_++];
    if (row_->fields.size() > width_) {
      throw Error{Kind::invalid,
                  fmt::format("{}: {} of at most {}", place(), counted(row_->fields.size(), "field"), width_),
                  "one that has commas stands in double quotes"};
    }
    if (row_->fields.size() < width_) {
      throw Error{Kind::invalid,
                  fmt::format("{}: {} of {}", place(), counted(row_->fields.size(), "field"), width_),
                  "one that is empty has its comma, too"};
    }
    return true;
  }
  [[nodiscard]] std::string place() const { return fmt::format("{}:{}", name_, row_->line); }
  // The field of the present row; empty where there is none.
  [[nodiscard]] std::string at(std::string_view column) const {
    const auto found = columns_.find(column);
    return found == columns_.end() || found->second >= row_->fields.size() ? std::string{}
                                                                           : row_->fields[found->second];
  }
  void read_limits(LimitEdits& limits) const {
    for (const LimitColumn& each : kLimitColumns) {
      if (const std::string text = at(each.name); !text.empty())
        limits.emplace_back(each.member, limit(std::string{each.name}, text));
    }
  }
  [[nodiscard]] bool is_active() const {
    const std::string active = at("active");
    return active.empty() || (active != "0" && plain_name(active) != "false");
  }

 private:
  void add_column(const std::string& heading, std::size_t place, const Columns& known) {
    const auto is_it = [&](std::string_view column) { return plain_name(column) == plain_name(heading); };
    const auto found = std::find_if(known.begin(), known.end(), is_it);
    if (found != known.end()) {
      if (!columns_.emplace(*found, place).second)
        throw error(Kind::invalid, "{}:1: column {} stands there twice", name_, quote(heading));
    } else if (std::any_of(kPassedOver.begin(), kPassedOver.end(), is_it)) {
      passed_over_.push_back(heading);
    } else if (std::none_of(kDerived.begin(), kDerived.end(), is_it)) {
      const std::vector<std::string> names(known.begin(), known.end());
      throw Error{Kind::invalid, fmt::format("{}:1: unknown column {}", name_, quote(heading)),
                  did_you_mean(heading, names)};
    }
  }

  std::string name_;
  std::vector<CsvRow> rows_;
  std::map<std::string_view, std::size_t> columns_;
  std::vector<std::string> passed_over_;
  std::size_t width_ = 0;  ///< columns
  std::size_t next_ = 0;
  const CsvRow* row_ = nullptr;
};

/// What flux-accounting writes of projects where all may be named, and of the default where there is none.
constexpr std::string_view kAllProjects = "*";

std::vector<std::string> passed_over(const Table& table, const std::string& name) {
  std::vector<std::string> notes;
  for (const std::string& heading : table.passed_over())
    notes.push_back(fmt::format("{}:1: column {} is not taken", name, quote(heading)));
  return notes;
}

// What was used of each resource, where a table has it; that goes before what its system made of it.
void read_amounts(const Table& table, UserEdit& edit) {
  priority::Amounts amounts{};
  bool any = false;
  for (std::size_t i = 0; i < priority::kResources; ++i) {
    const std::string name{priority::kAmountNames[i]};
    const std::string text = table.at(name);
    if (text.empty()) continue;
    amounts[i] = number(name, text);
    any = true;
  }
  if (!any) return;
  edit.decayed = amounts;
  edit.core_seconds.reset();
}

}  // namespace

std::vector<std::string> read_bank_table(std::string_view text, const std::string& name,
                                         AccountTables& tables) {
  Table table(text, name,
              {"bank", "parent_bank", "shares", "active", "job_usage", "max_running_jobs", "max_active_jobs",
               "max_nodes", "max_cores", "max_gpus", "max_core_hours"},
              {"bank", "parent_bank", "shares"});
  while (table.next()) {
    at_place(table.place(), [&] {
      BankEdit edit;
      edit.closed = !table.is_active();
      edit.name = table.at("bank");
      if (edit.name.empty()) throw Error{Kind::invalid, "the bank has no name"};
      if (const std::string parent = table.at("parent_bank"); !parent.empty()) edit.parent = parent;
      if (const std::string shares = table.at("shares"); !shares.empty())
        edit.shares = number("shares", shares);
      table.read_limits(edit.limits);
      tables.banks.push_back({table.place(), std::move(edit)});
    });
  }
  return passed_over(table, name);
}

std::vector<std::string> read_user_table(std::string_view text, const std::string& name,
                                         AccountTables& tables) {
  Table table(
      text, name, {"username",        "userid",         "bank",          "default_bank",
                   "shares",          "job_usage",      "core_seconds",  "gpu_seconds",
                   "node_seconds",    "memory_seconds", "energy_joules", "max_running_jobs",
                   "max_active_jobs", "max_nodes",      "max_cores",     "max_gpus",
                   "max_core_hours",  "queues",         "qos",           "projects",
                   "default_project", "active"},
      {"username", "userid", "bank", "shares", "max_running_jobs", "max_active_jobs", "max_nodes", "queues"});
  while (table.next()) {
    at_place(table.place(), [&] {
      UserEdit edit;
      edit.closed = !table.is_active();
      edit.user = table.at("username");
      edit.bank = table.at("bank");
      if (edit.user.empty()) throw Error{Kind::invalid, "the user has no name"};
      if (edit.bank.empty()) throw error(Kind::invalid, "user {} is given no bank", quote(edit.user));
      if (const std::string text_id = table.at("userid"); !text_id.empty()) {
        const auto userid = parse_u64(text_id);
        if (!userid || *userid > UINT32_MAX)
          throw error(Kind::invalid, "userid: expected the number of a user, got {}", quote(text_id));
        edit.userid = static_cast<std::uint32_t>(*userid);
      }
      if (const std::string shares = table.at("shares"); !shares.empty())
        edit.shares = number("shares", shares);
      if (const std::string used = table.at("job_usage"); !used.empty() && number("job_usage", used) > 0)
        edit.core_seconds = number("job_usage", used);
      read_amounts(table, edit);
      if (const std::string queues = table.at("queues"); !queues.empty()) edit.queues = list_of(queues);
      if (const std::string qos = table.at("qos"); !qos.empty()) edit.qos = list_of(qos);
      if (const std::string projects = table.at("projects"); !projects.empty())
        edit.projects = projects == kAllProjects ? std::vector<std::string>{} : list_of(projects);
      if (const std::string project = table.at("default_project"); !project.empty())
        edit.default_project = project == kAllProjects ? std::string{} : project;
      edit.make_default = !edit.closed && table.at("default_bank") == edit.bank;
      table.read_limits(edit.limits);
      tables.users.push_back({table.place(), std::move(edit)});
    });
  }
  return passed_over(table, name);
}

namespace {

std::string limit_text(std::int64_t most) {
  return fmt::format("{}", most == AccountLimits::kNone ? kUnlimited : most);
}

std::string number_text(double value) {
  constexpr double kExact = 1e15;
  const bool whole = value == std::floor(value) && value < kExact;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6f}", value);
}

// Read again it is the same.
std::string share_text(double value) {
  return fmt::format("{}", value);
}

// The limits that stand in a table: those of flux-accounting, and others where somebody has one.
std::vector<LimitColumn> limit_columns(const std::vector<const AccountNode*>& nodes, bool of_users) {
  std::vector<LimitColumn> columns;
  for (const LimitColumn& each : kLimitColumns) {
    const bool is_set = std::any_of(nodes.begin(), nodes.end(), [&](const AccountNode* node) {
      return node->limits.*each.member != AccountLimits::kNone;
    });
    if (is_set || (of_users && each.member != &AccountLimits::gpus)) columns.push_back(each);
  }
  return columns;
}

void append_limits(const std::vector<LimitColumn>& columns, const AccountNode& node,
                   std::vector<std::string>& fields) {
  for (const LimitColumn& each : columns) fields.push_back(limit_text(node.limits.*each.member));
}

}  // namespace

namespace {

bool any_user(const std::vector<const AccountNode*>& nodes, const auto& has) {
  return std::any_of(nodes.begin(), nodes.end(), [&](const AccountNode* node) { return has(*node); });
}

// Whether usage is more than its core-seconds, so that one number does not say what was used.
bool has_other_amounts(const AccountNode& user) {
  return user.usage != user.decayed[0] ||
         std::any_of(user.decayed.begin() + 1, user.decayed.end(), [](double amount) { return amount != 0; });
}

}  // namespace

std::string bank_table(const AccountTree& tree) {
  const std::vector<const AccountNode*> banks = bank_nodes(tree, true);
  const std::vector<LimitColumn> limits = limit_columns(banks, false);
  std::vector<std::string> heading{"bank", "active", "parent_bank", "shares", "job_usage"};
  for (const LimitColumn& each : limits) heading.emplace_back(each.name);
  std::string out;
  append_csv(out, heading);
  for (const AccountNode* bank : banks) {
    std::vector<std::string> fields{bank->name, bank->closed ? "0" : "1", bank->parent,
                                    share_text(bank->shares), number_text(bank->usage)};
    append_limits(limits, *bank, fields);
    append_csv(out, fields);
  }
  return out;
}

std::string user_table(const AccountTree& tree) {
  const std::vector<const AccountNode*> users = user_nodes(tree, true);
  const std::vector<LimitColumn> limits = limit_columns(users, true);
  std::map<std::string, std::string> default_banks;
  for (const AccountNode* user : users) {
    if (user->is_default) default_banks[user->name] = user->parent;
  }
  const bool amounts = any_user(users, has_other_amounts);
  const bool qos = any_user(users, [](const AccountNode& user) { return !user.qos.empty(); });
  const bool projects = any_user(
      users, [](const AccountNode& user) { return !user.projects.empty() || !user.default_project.empty(); });
  std::vector<std::string> heading{"active",       "username", "userid",   "bank",
                                   "default_bank", "shares",   "job_usage"};
  if (amounts) heading.insert(heading.end(), priority::kAmountNames.begin(), priority::kAmountNames.end());
  for (const LimitColumn& each : limits) heading.emplace_back(each.name);
  heading.emplace_back("queues");
  if (qos) heading.emplace_back("qos");
  if (projects) heading.insert(heading.end(), {"projects", "default_project"});
  std::string out;
  append_csv(out, heading);
  for (const AccountNode* user : users) {
    const bool known = !priority::is_stand_in(user->userid);
    std::vector<std::string> fields{user->closed ? "0" : "1",
                                    user->name,
                                    known ? fmt::format("{}", user->userid) : std::string{},
                                    user->parent,
                                    default_banks[user->name],
                                    share_text(user->shares),
                                    number_text(user->usage)};
    if (amounts) {
      for (const double amount : user->decayed) fields.push_back(number_text(amount));
    }
    append_limits(limits, *user, fields);
    fields.push_back(join(user->queues, ","));
    if (qos) fields.push_back(join(user->qos, ","));
    if (projects) {
      fields.push_back(user->projects.empty() ? std::string{kAllProjects} : join(user->projects, ","));
      fields.push_back(user->default_project.empty() ? std::string{kAllProjects} : user->default_project);
    }
    append_csv(out, fields);
  }
  return out;
}

}  // namespace fq::request
