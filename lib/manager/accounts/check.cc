#include "manager/accounts/check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "records/account_record.h"
#include "records/accounts.h"
#include "records/charges.h"
#include "records/job_table.h"
#include "records/keys.h"

namespace fq::manager {

using priority::Account;
using priority::Amounts;
using priority::Association;
using priority::Bank;
using priority::Usage;
using store::Family;

namespace {

using Member = std::pair<std::uint32_t, std::string>;

// What is charged to an association now.
struct Held {
  Amounts amounts{};
  std::uint64_t running = 0;
};

struct Book {
  std::map<std::string, Bank> banks;
  std::vector<Association> associations;
  std::map<Member, Held> held;             // of jobs that hold something
  std::vector<notation::JobId> left_over;  // charges of jobs that hold nothing
};

Book read_book(const store::Reader& reader) {
  Book book;
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
    Held& held = book.held[{charge.userid, charge.bank}];
    ++held.running;
    for (std::size_t i = 0; i < priority::kResources; ++i) held.amounts[i] += charge.held[i];
  }
  return book;
}

// What banks have, summed up anew from what is in them.
std::map<std::string, Bank> summed_up(const Book& book, double now, double rate) {
  std::map<std::string, Bank> banks = book.banks;
  for (auto& [name, bank] : banks) {
    bank.usage = {};
    bank.running = 0;
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
      at->second.usage.add(each.usage, now, rate);
      at->second.running += each.running;
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

double latest(const Book& book) {
  double time = 0;
  for (const auto& [name, bank] : book.banks) time = std::max(time, bank.usage.state().time);
  for (const Association& each : book.associations) time = std::max(time, each.usage.state().time);
  return time;
}

}  // namespace

void check_accounts(const store::Reader& reader, const Report& report) {
  if (!records::has_accounts(reader)) return;
  const Book book = read_book(reader);
  const double now = latest(book), rate = records::read_accounting(reader).rate();
  for (const notation::JobId id : book.left_over)
    report(fmt::format("job {} is charged and holds nothing", id));
  for (const Association& each : book.associations) {
    const std::string who = fmt::format("user {} in bank {}", quote(each.user), quote(each.bank));
    if (!book.banks.contains(each.bank)) report(who + ": there is no such bank");
    const auto held = book.held.find({each.userid, each.bank});
    const Held expected = held == book.held.end() ? Held{} : held->second;
    if (!about_equal(each.usage.state().held, expected.amounts) || each.running != expected.running)
      report(who + ": what is charged is not what running jobs hold");
    if (!priority::is_stand_in(each.userid) && records::find_user(reader, each.user) != each.userid)
      report(who + ": the name does not lead to the number");
  }
  const std::map<std::string, Bank> sums = summed_up(book, now, rate);
  for (const auto& [name, bank] : book.banks) {
    const Bank& sum = sums.at(name);
    if (!bank.parent.empty() && !book.banks.contains(bank.parent))
      report(fmt::format("bank {}: there is no bank {}", quote(name), quote(bank.parent)));
    if (bank.members != sum.members || !about_equal(bank.member_shares, sum.member_shares))
      report(fmt::format("bank {}: its sum of shares is not that of what is in it", quote(name)));
    const bool same = about_equal(bank.usage.at(now, rate), sum.usage.at(now, rate)) &&
                      about_equal(bank.usage.total_at(now), sum.usage.total_at(now)) &&
                      about_equal(bank.usage.state().held, sum.usage.state().held) &&
                      bank.running == sum.running;
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
  make_missing_banks(transaction);
  if (!records::has_accounts(transaction)) return;
  Book book = read_book(transaction);
  const double rate = records::read_accounting(transaction).rate();
  for (const notation::JobId id : book.left_over) records::erase_charge(transaction, id);
  for (Association& each : book.associations) {
    const auto held = book.held.find({each.userid, each.bank});
    const Held expected = held == book.held.end() ? Held{} : held->second;
    each.usage.let_go(each.usage.state().held, now, rate);
    each.usage.hold(expected.amounts, now, rate);
    each.running = expected.running;
    records::write(transaction, each);
    if (records::find_user(transaction, each.user) != each.userid)
      records::write_user(transaction, each.user, each.userid);
  }
  for (const auto& [name, bank] : summed_up(book, now, rate)) records::write(transaction, bank);
}

}  // namespace fq::manager
