#include "manager/accounts/charging.h"

#include <bit>

#include "records/accounts.h"

namespace fq::manager {

using priority::Amounts;
using priority::Association;
using priority::Bank;

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

// Does the same to an association and all banks above it.
template <typename Do>
void for_all_above(Change& change, Association association, const Do& act) {
  store::Transaction& transaction = change.transaction();
  act(static_cast<priority::Account&>(association));
  records::write(transaction, association);
  for (Bank& bank : records::banks_above(transaction, association.bank)) {
    act(static_cast<priority::Account&>(bank));
    records::write(transaction, bank);
  }
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

void charge_start(Change& change, const job::Job& job, const document::ResourceSet& r) {
  if (!change.has_accounts()) return;
  const auto association = charged(change, job);
  if (!association) return;
  const Amounts held = charged_amounts(r);
  const double rate = records::read_accounting(change.transaction()).rate();
  for_all_above(change, *association, [&](priority::Account& account) {
    account.usage.hold(held, change.now(), rate);
    ++account.running;
  });
  records::write_charge(change.transaction(), job.id, {association->userid, association->bank, held});
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
  if (!change.has_accounts()) return;
  store::Transaction& transaction = change.transaction();
  const auto charge = records::find_charge(transaction, job.id);
  if (!charge) return;
  records::erase_charge(transaction, job.id);
  records::TallyKey key = tally_key(job, *charge);
  records::spread(charge->held, job.t_run, change.now(), key,
                  [&](const auto& of, const records::Tally& more) { add_tally(transaction, of, more); });
  key.hour = records::hour_of(change.now());
  records::add_tally(transaction, key, {1, {}});
  const auto association = records::find_association(transaction, charge->userid, charge->bank);
  if (!association) return;
  const double rate = records::read_accounting(transaction).rate();
  for_all_above(change, *association, [&](priority::Account& account) {
    account.usage.let_go(charge->held, change.now(), rate);
    if (account.running > 0) --account.running;
  });
}

}  // namespace fq::manager
