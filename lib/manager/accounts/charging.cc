#include "manager/accounts/charging.h"

#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "records/accounts.h"
#include "records/keys.h"

namespace fq::manager {

using priority::Amounts;
using priority::Association;
using priority::Bank;
using priority::CountedAt;
using priority::Use;
using store::Family;

namespace {

// The association that a job is charged to.
std::optional<Association> charged(Change& change, const job::Job& job) {
  const store::Reader& reader = change.transaction();
  if (!job.bank.empty()) return records::find_association(reader, job.userid, job.bank);
  // It was submitted before there were accounts.
  const auto all = records::associations_of(reader, job.userid);
  const Association* chosen = records::default_among(all);
  return chosen == nullptr ? std::nullopt : std::optional{*chosen};
}

// What jobs that are charged to nobody's account are charged to: what has limits counts without decay.
CountedAt undecayed(CountedAt at) {
  at.rate = 0;
  return at;
}

// Does the same to whatever a charged job counts in: its association, all banks above it, and what has
// limits.
template <typename Do>
void for_all_charged(Change& change, const job::Job& job, const records::Charge& charge, const Do& act) {
  store::Transaction& transaction = change.transaction();
  const CountedAt at = change.counted_at();
  for (const records::LimitedUse& limited : change.limited_uses().of(counts_in(job, charge))) {
    Use use = records::find_use(transaction, limited.key).value_or(Use{});
    act(use, undecayed(at));
    records::write_use(transaction, limited.key, use);
  }
  if (charge.bank.empty()) return;
  auto association = records::find_association(transaction, charge.userid, charge.bank);
  if (!association) return;
  act(*association, at);
  records::write(transaction, *association);
  for (Bank& bank : records::banks_above(transaction, charge.bank)) {
    act(bank, at);
    records::write(transaction, bank);
  }
}

// The second by which a job will have ended; 0: it may run for ever.
std::int64_t whole_end(double expiration) {
  return expiration > 0 && std::isfinite(expiration) ? static_cast<std::int64_t>(std::ceil(expiration)) : 0;
}

}  // namespace

Amounts charged_amounts(const document::ResourceSet& r) {
  Amounts amounts{};
  for (const document::ResourceSet::Node& node : r.nodes()) {
    amounts[static_cast<std::size_t>(priority::Resource::core)] += static_cast<double>(node.cores.count());
    amounts[static_cast<std::size_t>(priority::Resource::gpu)] += static_cast<double>(node.gpus.count());
    amounts[static_cast<std::size_t>(priority::Resource::node)] += 1;
  }
  return amounts;
}

records::CountsIn counts_in(const job::Job& job, const records::Charge& charge) {
  return {job.queue, job.qos, charge.userid, charge.bank};
}

void charge_start(Change& change, const job::Job& job, const document::ResourceSet& r) {
  records::Charge charge;
  charge.userid = job.userid;
  bool charged_to_bank = false;
  if (change.has_accounts()) {
    if (const auto association = charged(change, job)) {
      charge.bank = association->bank;
      charged_to_bank = true;
    }
  }
  if (!charged_to_bank && change.limited_uses().of(counts_in(job, charge)).empty()) return;
  charge.held = charged_amounts(r);
  charge.end = whole_end(r.expiration);
  for_all_charged(change, job, charge, [&](Use& use, const CountedAt& at) { use.start(charge, at); });
  records::write_charge(change.transaction(), job.id, charge);
}

void charge_until(Change& change, const job::Job& job, double expiration) {
  auto charge = records::find_charge(change.transaction(), job.id);
  if (!charge) return;
  const std::int64_t end = whole_end(expiration);
  for_all_charged(change, job, *charge, [&](Use& use, const CountedAt&) { use.prolong(*charge, end); });
  charge->end = end;
  records::write_charge(change.transaction(), job.id, *charge);
}

records::TallyKey tally_key(const job::Job& job, const records::Charge& charge) {
  const auto cores =
      static_cast<std::uint64_t>(charge.held[static_cast<std::size_t>(priority::Resource::core)]);
  records::TallyKey key;
  key.userid = charge.userid;
  key.bank = charge.bank;
  key.queue = job.queue;
  key.project = job.project;
  key.qos = job.qos;
  key.size = cores == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(std::bit_width(cores) - 1);
  return key;
}

void charge_end(Change& change, const job::Job& job) {
  if (!change.has_accounts() && change.limited_uses().of({job.queue, job.qos, job.userid, job.bank}).empty())
    return;
  store::Transaction& transaction = change.transaction();
  const auto charge = records::find_charge(transaction, job.id);
  if (!charge) return;
  records::erase_charge(transaction, job.id);
  if (!charge->bank.empty()) {
    records::TallyKey key = tally_key(job, *charge);
    records::spread(charge->held, job.t_run, change.now(), key,
                    [&](const auto& of, const records::Tally& more) { add_tally(transaction, of, more); });
    key.hour = records::hour_of(change.now());
    records::add_tally(transaction, key, {1, {}});
  }
  for_all_charged(change, job, *charge, [&](Use& use, const CountedAt& at) { use.end(*charge, at); });
}

void count_limited_uses(Change& change) {
  store::Transaction& transaction = change.transaction();
  std::set<std::string> known;
  for (const std::string& key : records::use_keys(transaction)) {
    if (change.limited_uses().has(key)) {
      known.insert(key);
    } else {
      transaction.erase(Family::instance, key);
    }
  }
  std::vector<JobId> running;
  for (const auto at = transaction.scan_prefix(Family::index, records::key::kAllocationEndPrefix);
       at->valid(); at->next())
    running.push_back(records::key::indexed_job(at->key()));
  std::map<std::string, Use> counted;
  for (const JobId id : running) {
    const job::Job& job = change.job(id);
    records::Charge charge;
    if (const auto stored = records::find_charge(transaction, id)) {
      charge = *stored;
    } else {
      const auto text = transaction.get(Family::kvs, records::key::r(id));
      if (!text) continue;
      charge.userid = job.userid;
      charge.held = charged_amounts(document::ResourceSet::parse(*text));
      charge.end = whole_end(job.expiration);
    }
    const std::vector<records::LimitedUse> all = change.limited_uses().of(counts_in(job, charge));
    if (!all.empty()) records::write_charge(transaction, id, charge);
    if (all.empty() && charge.bank.empty()) records::erase_charge(transaction, id);
    for (const records::LimitedUse& limited : all) {
      if (!known.contains(limited.key)) counted[limited.key].start(charge, undecayed(change.counted_at()));
    }
  }
  for (const auto& [key, use] : counted) records::write_use(transaction, key, use);
}

}  // namespace fq::manager
