// What `sacctmgr dump` writes, as banks and users:
//
//   Cluster - 'name':…
//   Parent - 'root'                            what follows is part of this
//   Account - 'physics':Fairshare=3:…
//   User - 'ada':DefaultAccount='physics':Fairshare=1:MaxJobs=10:GrpTRES=cpu=64,gres/gpu=2

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "request/account_tables.h"

namespace fq::request {

using priority::AccountLimits;

namespace {

struct DumpLine {
  std::string kind, name;
  std::vector<std::pair<std::string, std::string>> options;

  [[nodiscard]] std::string option(std::string_view key) const {
    for (const auto& [name_of, value] : options) {
      if (name_of == key) return value;
    }
    return {};
  }
};

std::string unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') text = text.substr(1, text.size() - 2);
  return std::string{text};
}

// At colons that stand in no quotes.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '\'') quoted = !quoted;
    if (c == ':' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (quoted) throw Error{Kind::invalid, "a quote does not end"};
  return parts;
}

DumpLine read_line(std::string_view text) {
  constexpr std::string_view kSeparator = " - ";
  const std::size_t at = text.find(kSeparator);
  if (at == std::string_view::npos) throw Error{Kind::invalid, "expected `KIND - 'NAME':OPTION=VALUE…`"};
  DumpLine line;
  line.kind = text.substr(0, at);
  const std::vector<std::string> parts = parts_of(text.substr(at + kSeparator.size()));
  line.name = unquoted(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t equals = parts[i].find('=');
    if (equals == std::string::npos) continue;
    line.options.emplace_back(parts[i].substr(0, equals),
                              unquoted(std::string_view{parts[i]}.substr(equals + 1)));
  }
  return line;
}

std::optional<double> shares_of(const DumpLine& line) {
  const std::string text = line.option("Fairshare");
  // With `parent` users are not told apart: each like the others.
  if (text.empty() || text == "parent") return 1;
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc{} && end == text.data() + text.size() && value >= 0) return value;
  throw error(Kind::invalid, "Fairshare: expected a number that is not negative, got {}", quote(text));
}

void add_limit(const std::string& text, std::string_view key, std::int64_t AccountLimits::*member,
               LimitEdits& limits) {
  if (text.empty() || text == "-1") return;
  const auto most = parse_u64(text);
  if (!most || *most > AccountLimits::kMost)
    throw error(Kind::invalid, "{}: expected a number, got {}", key, quote(text));
  limits.emplace_back(member, static_cast<std::int64_t>(*most));
}

LimitEdits limits_of(const DumpLine& line, std::string_view running, std::string_view active) {
  LimitEdits limits;
  add_limit(line.option(running), running, &AccountLimits::running_jobs, limits);
  add_limit(line.option(active), active, &AccountLimits::active_jobs, limits);
  constexpr std::array kResources{std::pair{std::string_view{"cpu"}, &AccountLimits::cores},
                                  std::pair{std::string_view{"node"}, &AccountLimits::nodes},
                                  std::pair{std::string_view{"gres/gpu"}, &AccountLimits::gpus}};
  const std::string tres = line.option("GrpTRES");
  for (const std::string_view part : split(tres, ',')) {
    const std::size_t equals = part.find('=');
    for (const auto& [name, member] : kResources) {
      if (equals != std::string_view::npos && part.substr(0, equals) == name)
        add_limit(std::string{part.substr(equals + 1)}, "GrpTRES", member, limits);
    }
  }
  return limits;
}

// Keys of a dump that have no counterpart, each with the line on which it stands first.
class PassedOver {
 public:
  void note(const DumpLine& line, std::initializer_list<std::string_view> taken, std::size_t number) {
    for (const auto& [key, value] : line.options) {
      if (value.empty() || std::find(taken.begin(), taken.end(), key) != taken.end()) continue;
      add(key, number);
    }
    const std::string tres = line.option("GrpTRES");
    for (const std::string_view part : split(tres, ',')) {
      const std::string_view name = part.substr(0, part.find('='));
      if (!name.empty() && name != "cpu" && name != "node" && name != "gres/gpu")
        add(fmt::format("GrpTRES={}", name), number);
    }
  }
  [[nodiscard]] std::vector<std::string> notes(const std::string& name) const {
    std::vector<std::string> out;
    for (const auto& [key, where] : keys_) {
      out.push_back(fmt::format("{}:{}: {} is not taken{}", name, where.first, quote(key),
                                where.count == 1
                                    ? std::string{}
                                    : fmt::format(", nor in {}", counted(where.count - 1, "other line"))));
    }
    return out;
  }

 private:
  struct Where {
    std::size_t first = 0, count = 0;
  };
  void add(const std::string& key, std::size_t number) {
    Where& where = keys_[key];
    if (where.count++ == 0) where.first = number;
  }
  std::map<std::string, Where> keys_;
};

// `normal,expedite`, or added to what is inherited, `+expedite`. What everybody may use is not granted.
std::vector<std::string> qos_of(const std::string& text) {
  std::vector<std::string> names;
  for (std::string_view name : split(text, ',')) {
    if (name.starts_with('+')) name.remove_prefix(1);
    if (!name.empty() && !name.starts_with('-') && name != "normal" && name != "standby")
      names.emplace_back(name);
  }
  return names;
}

void take(const DumpLine& line, std::size_t number, const std::string& place, std::string& parent,
          AccountTables& tables, PassedOver& passed_over) {
  if (line.kind == "Cluster") return passed_over.note(line, {"Fairshare"}, number);
  if (line.kind == "Parent") {
    parent = line.name;
  } else if (line.kind == "Account") {
    BankEdit edit;
    edit.name = line.name;
    edit.parent = parent;
    edit.shares = shares_of(line);
    edit.limits = limits_of(line, "GrpJobs", "GrpSubmitJobs");
    passed_over.note(
        line, {"Description", "Fairshare", "GrpJobs", "GrpSubmitJobs", "GrpTRES", "Organization"}, number);
    tables.banks.push_back({place, std::move(edit)});
  } else if (line.kind == "User") {
    UserEdit edit;
    edit.user = line.name;
    edit.bank = parent;
    edit.shares = shares_of(line);
    edit.make_default = line.option("DefaultAccount") == parent;
    edit.limits = limits_of(line, "MaxJobs", "MaxSubmitJobs");
    if (const std::string qos = line.option("QOS"); !qos.empty()) edit.qos = qos_of(qos);
    passed_over.note(line, {"DefaultAccount", "Fairshare", "MaxJobs", "MaxSubmitJobs", "GrpTRES", "QOS"},
                     number);
    tables.users.push_back({place, std::move(edit)});
  } else {
    throw error(Kind::invalid, "{}: expected Cluster, Parent, Account or User", quote(line.kind));
  }
}

}  // namespace

std::vector<std::string> read_slurm_dump(std::string_view text, const std::string& name,
                                         AccountTables& tables) {
  PassedOver keys;
  std::string parent{priority::kRootBank};
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const std::string place = fmt::format("{}:{}", name, number);
    try {
      take(read_line(line), number, place, parent, tables, keys);
    } catch (const Error& failure) {
      throw failure.within(place);
    }
  }
  return keys.notes(name);
}

}  // namespace fq::request
