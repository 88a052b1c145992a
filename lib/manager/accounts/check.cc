#include "manager/accounts/check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "manager/accounts/charging.h"
#include "records/account_record.h"
#include "records/accounts.h"
#include "records/charges.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/limited_uses.h"

namespace fq::manager {

using priority::Account;
using priority::Amounts;
using priority::Association;
using priority::Bank;
using priority::Use;
using store::Family;

namespace {

using Member = std::pair<std::uint32_t, std::string>;

struct Book {
  std::map<std::string, Bank> banks;
  std::vector<Association> associations;
  std::map<Member, Use> held;              // by jobs, of associations
  std::map<std::string, Use> limited;      // the same of what has limits, by key
  std::vector<notation::JobId> left_over;  // charges of jobs that hold nothing
};

Book read_book(const store::Reader& reader) {
  Book book;
  records::Queues queues(reader);
  records::LimitedUses limited(reader, queues);
  for (Bank& bank : records::read_banks(reader)) {
    const std::string name = bank.name;
    book.banks.emplace(name, std::move(bank));
  }
  book.associations = records::read_associations(reader);
  std::vector<notation::JobId> charged;
  for (const auto at = reader.scan_prefix(Family::instance, records::key::kChargePrefix); at->valid();
       at->next())
    charged.push_back(records::key::indexed_job(at->key()));
  for (const notation::JobId id : charged) {
    const auto job = records::find_job(reader, id);
    if (!job || !job->allocated) {
      book.left_over.push_back(id);
      continue;
    }
    const records::Charge charge = *records::find_charge(reader, id);
    for (const records::LimitedUse& use : limited.of(counts_in(*job, charge)))
      book.limited[use.key].start(charge, {});
    if (!charge.bank.empty()) book.held[{charge.userid, charge.bank}].start(charge, {});
  }
  return book;
}

// What banks have, summed up anew from what is in them.
std::map<std::string, Bank> summed_up(const Book& book, const priority::CountedAt& at_time) {
  std::map<std::string, Bank> banks = book.banks;
  for (auto& [name, bank] : banks) {
    static_cast<priority::Use&>(bank) = {};
    bank.members = 0;
    bank.member_shares = 0;
  }
  const auto count = [&](const std::string& parent, const Account& account) {
    const auto at = banks.find(parent);
    if (at == banks.end() || account.closed) return;
    ++at->second.members;
    at->second.member_shares += account.shares;
  };
  for (const auto& [name, bank] : book.banks) count(bank.parent, bank);
  for (const Association& each : book.associations) {
    count(each.bank, each);
    std::size_t depth = 0;
    for (auto at = banks.find(each.bank); at != banks.end() && depth <= priority::kMaxBankDepth;
         at = banks.find(at->second.parent), ++depth) {
      at->second.add(each, at_time);
    }
  }
  return banks;
}

bool about_equal(double a, double b) {
  constexpr double kTolerance = 1e-6;
  return std::abs(a - b) <= kTolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

bool about_equal(const Amounts& a, const Amounts& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return about_equal(x, y); });
}

bool holds_the_same(const Use& a, const Use& b) {
  return about_equal(a.usage.state().held, b.usage.state().held) && a.running == b.running &&
         a.claims == b.claims;
}

template <typename Key>
Use held_by(const std::map<Key, Use>& held, const Key& key) {
  const auto at = held.find(key);
  return at == held.end() ? Use{} : at->second;
}

// `QoS 'standby'`, `a user in queue 'debug'`: as far as the key of a record says it.
std::string limited_name(std::string_view key) {
  const std::string_view rest = key.substr(records::key::kUsePrefix.size());
  const std::string name = quote(rest.substr(std::min<std::size_t>(rest.size(), 1), rest.find('\0', 1) - 1));
  if (rest.starts_with(records::key::kUseOfQos)) return "QoS " + name;
  return fmt::format("a user in {} {}", rest.starts_with(records::key::kUseInQos) ? "QoS" : "queue", name);
}

void check_limited_uses(const store::Reader& reader, const Book& book, const Report& report) {
  std::map<std::string, Use> missing = book.limited;
  for (const std::string& key : records::use_keys(reader)) {
    missing.erase(key);
    if (!holds_the_same(*records::find_use(reader, key), held_by(book.limited, key)))
      report(limited_name(key) + ": what is in use is not what running jobs hold");
  }
  for (const auto& [key, use] : missing) report(limited_name(key) + ": there is no record of what is in use");
}

double latest(const Book& book) {
  double time = 0;
  for (const auto& [name, bank] : book.banks) time = std::max(time, bank.usage.state().time);
  for (const Association& each : book.associations) time = std::max(time, each.usage.state().time);
  return time;
}

}  // namespace

void check_accounts(const store::Reader& reader, const Report& report) {
  const Book book = read_book(reader);
  for (const notation::JobId id : book.left_over)
    report(fmt::format("job {} is charged and holds nothing", id));
  check_limited_uses(reader, book, report);
  if (!records::has_accounts(reader)) return;
  const double now = latest(book);
  const priority::CountedAt at = records::read_accounting(reader).counted_at(now);
  for (const Association& each : book.associations) {
    const std::string who = fmt::format("user {} in bank {}", quote(each.user), quote(each.bank));
    if (!book.banks.contains(each.bank)) report(who + ": there is no such bank");
    if (!holds_the_same(each, held_by(book.held, Member{each.userid, each.bank})))
      report(who + ": what is charged is not what running jobs hold");
    if (!priority::is_stand_in(each.userid) && records::find_user(reader, each.user) != each.userid)
      report(who + ": the name does not lead to the number");
  }
  const std::map<std::string, Bank> sums = summed_up(book, at);
  for (const auto& [name, bank] : book.banks) {
    const Bank& sum = sums.at(name);
    if (!bank.parent.empty() && !book.banks.contains(bank.parent))
      report(fmt::format("bank {}: there is no bank {}", quote(name), quote(bank.parent)));
    if (bank.members != sum.members || !about_equal(bank.member_shares, sum.member_shares))
      report(fmt::format("bank {}: its sum of shares is not that of what is in it", quote(name)));
    const bool same = about_equal(bank.usage.at(now, at.rate), sum.usage.at(now, at.rate)) &&
                      about_equal(bank.usage.total_at(now), sum.usage.total_at(now)) &&
                      about_equal(bank.usage.state().held, sum.usage.state().held) &&
                      bank.running == sum.running && bank.claims == sum.claims &&
                      about_equal(bank.spent(at), sum.spent(at));
    if (!same) report(fmt::format("bank {}: its usage is not that of what is in it", quote(name)));
  }
}

namespace {

// What cannot be read is gone.
template <typename Decode>
void erase_unreadable(store::Transaction& transaction, std::string_view prefix, const Decode& decode) {
  std::vector<std::string> unreadable;
  for (const auto at = transaction.scan_prefix(Family::instance, prefix); at->valid(); at->next()) {
    try {
      decode(at->key(), at->value());
    } catch (const Error&) {
      unreadable.emplace_back(at->key());
    }
  }
  for (const std::string& k : unreadable) transaction.erase(Family::instance, k);
}

// A bank that was lost is made again where something is in it: below the root, with one share.
void make_missing_banks(store::Transaction& transaction) {
  std::set<std::string> there, needed;
  for (const Bank& bank : records::read_banks(transaction)) {
    there.insert(bank.name);
    if (bank.name != priority::kRootBank) needed.insert(bank.parent);
  }
  for (const Association& each : records::read_associations(transaction)) needed.insert(each.bank);
  if (!needed.empty()) needed.emplace(priority::kRootBank);
  for (const std::string& name : needed) {
    if (there.contains(name)) continue;
    Bank bank;
    bank.name = name;
    if (name != priority::kRootBank) bank.parent = priority::kRootBank;
    records::write(transaction, bank);
  }
}

}  // namespace

namespace {

void repair_limited_uses(store::Transaction& transaction, const Book& book, priority::CountedAt at) {
  at.rate = 0;
  std::map<std::string, Use> uses = book.limited;
  for (const std::string& key : records::use_keys(transaction)) uses.try_emplace(key);
  for (const auto& [key, held] : uses) {
    Use use = records::find_use(transaction, key).value_or(Use{});
    use.hold_instead(held, at);
    records::write_use(transaction, key, use);
  }
}

}  // namespace

void repair_accounts(store::Transaction& transaction, double now) {
  erase_unreadable(transaction, records::key::kBankPrefix, [](auto key, auto value) {
    const Bank bank = records::decode_bank(key, value);
    if (bank.parent.empty() != (bank.name == priority::kRootBank))
      throw Error{Kind::unavailable, "no parent"};
  });
  erase_unreadable(transaction, records::key::kAssociationPrefix,
                   [](auto key, auto value) { static_cast<void>(records::decode_association(key, value)); });
  erase_unreadable(transaction, records::key::kChargePrefix, [&](auto key, auto) {
    static_cast<void>(records::find_charge(transaction, records::key::indexed_job(key)));
  });
  erase_unreadable(transaction, records::key::kUsePrefix,
                   [](auto, auto value) { static_cast<void>(records::decode_use(value)); });
  make_missing_banks(transaction);
  Book book = read_book(transaction);
  for (const notation::JobId id : book.left_over) records::erase_charge(transaction, id);
  // Where the store's time was lost, what was counted says how late it is at least.
  priority::CountedAt at = records::read_accounting(transaction).counted_at(std::max(now, latest(book)));
  repair_limited_uses(transaction, book, at);
  if (!records::has_accounts(transaction)) return;
  for (Association& each : book.associations) {
    each.hold_instead(held_by(book.held, Member{each.userid, each.bank}), at);
    records::write(transaction, each);
    if (records::find_user(transaction, each.user) != each.userid)
      records::write_user(transaction, each.user, each.userid);
  }
  for (const auto& [name, bank] : summed_up(book, at)) records::write(transaction, bank);
}

}  // namespace fq::manager
