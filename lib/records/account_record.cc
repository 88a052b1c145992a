#include "records/account_record.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "records/aligned.h"
#include "records/flatbuffer_text.h"
#include "records/keys.h"
#include "records_generated.h"

namespace fq::records {

using priority::Account;
using priority::AccountLimits;
using priority::Amounts;
using priority::Association;
using priority::Bank;
using priority::Usage;
using priority::Use;

namespace {

constexpr auto kEnergy = static_cast<std::size_t>(priority::Resource::energy);

flatbuffers::span<const double, priority::kHeldResources> flat_amounts(const Amounts& amounts) {
  return flatbuffers::span<const double, priority::kHeldResources>(amounts.data(), priority::kHeldResources);
}

// Nothing where no energy was charged.
std::optional<flat::EnergyRecord> flat_energy(const Usage& usage) {
  const Usage::State& state = usage.state();
  if (state.decayed[kEnergy] == 0 && state.total[kEnergy] == 0) return std::nullopt;
  return flat::EnergyRecord{state.decayed[kEnergy], state.total[kEnergy]};
}

flat::UsageRecord flat_usage(const Usage& usage) {
  const Usage::State& state = usage.state();
  return {state.time, flat_amounts(state.decayed), flat_amounts(state.held), flat_amounts(state.total)};
}

Usage usage_of(const flat::UsageRecord* record) {
  if (record == nullptr) return {};
  Usage::State state;
  state.time = record->time();
  for (std::uint32_t i = 0; i < priority::kHeldResources; ++i) {
    state.decayed[i] = record->decayed()->Get(i);
    state.held[i] = record->held()->Get(i);
    state.total[i] = record->total()->Get(i);
  }
  return Usage(state);
}

flat::AccountLimitsRecord flat_limits(const AccountLimits& limits) {
  return {limits.running_jobs, limits.active_jobs, limits.nodes, limits.cores, limits.gpus};
}

AccountLimits limits_of(const flat::AccountLimitsRecord* record, std::int64_t core_hours) {
  AccountLimits limits;
  limits.core_hours = core_hours;
  if (record == nullptr) return limits;
  limits.running_jobs = record->running_jobs();
  limits.active_jobs = record->active_jobs();
  limits.nodes = record->nodes();
  limits.cores = record->cores();
  limits.gpus = record->gpus();
  return limits;
}

flat::MonthRecord flat_month(const Use& use) {
  return {use.month_begin, use.month_base, use.claims.cores, use.claims.core_ends};
}

// Of records of any kind that have them.
template <typename Record>
void read_use(const Record& record, Use& use) {
  use.usage = usage_of(record.usage());
  use.running = record.running();
  if (const flat::MonthRecord* month = record.month(); month != nullptr) {
    use.month_begin = month->begin();
    use.month_base = month->base();
    use.claims = {month->claimed_cores(), month->claimed_core_ends()};
  }
}

// What both kinds of records have in common.
template <typename Record>
void read_account(const Record& record, Account& account) {
  account.shares = record.shares();
  account.closed = record.closed();
  account.limits = limits_of(record.limits(), record.core_hours());
  read_use(record, account);
  if (const flat::EnergyRecord* energy = record.energy(); energy != nullptr) {
    Usage::State state = account.usage.state();
    state.decayed[kEnergy] = energy->decayed();
    state.total[kEnergy] = energy->total();
    account.usage = Usage(state);
  }
}

using TextList = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

std::vector<std::string> texts(const TextList* list) {
  std::vector<std::string> all;
  for (std::uint32_t i = 0; list != nullptr && i < list->size(); ++i) all.push_back(list->Get(i)->str());
  return all;
}

std::string finished(const flatbuffers::FlatBufferBuilder& builder) {
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

}  // namespace

std::string encode(const Bank& bank) {
  flatbuffers::FlatBufferBuilder builder(512);
  const auto parent = bank.parent.empty() ? 0 : builder.CreateString(bank.parent);
  const flat::AccountLimitsRecord limits = flat_limits(bank.limits);
  const flat::UsageRecord usage = flat_usage(bank.usage);
  const flat::MonthRecord month = flat_month(bank);
  const auto energy = flat_energy(bank.usage);
  builder.Finish(flat::CreateBankRecord(builder, parent, bank.shares, bank.closed, bank.members,
                                        bank.member_shares, bank.running, &limits, &usage, &month,
                                        bank.limits.core_hours, energy ? &*energy : nullptr));
  return finished(builder);
}

std::string encode(const Association& association) {
  flatbuffers::FlatBufferBuilder builder(512);
  const auto list = [&](const std::vector<std::string>& names) {
    return names.empty() ? 0 : builder.CreateVectorOfStrings(names);
  };
  const auto user = builder.CreateString(association.user);
  const auto queues = list(association.queues), qos = list(association.qos),
             projects = list(association.projects);
  const auto default_project =
      association.default_project.empty() ? 0 : builder.CreateString(association.default_project);
  const flat::AccountLimitsRecord limits = flat_limits(association.limits);
  const flat::UsageRecord usage = flat_usage(association.usage);
  const flat::MonthRecord month = flat_month(association);
  const auto energy = flat_energy(association.usage);
  builder.Finish(flat::CreateAssociationRecord(builder, user, association.shares, association.closed,
                                               association.is_default, queues, qos, association.running,
                                               &limits, &usage, &month, association.limits.core_hours,
                                               energy ? &*energy : nullptr, projects, default_project));
  return finished(builder);
}

std::string encode(const Use& use) {
  flatbuffers::FlatBufferBuilder builder(256);
  const flat::UsageRecord usage = flat_usage(use.usage);
  const flat::MonthRecord month = flat_month(use);
  builder.Finish(flat::CreateUseRecord(builder, use.running, &usage, &month));
  return finished(builder);
}

Use decode_use(std::string_view bytes) {
  const Aligned aligned(bytes);
  flatbuffers::Verifier verifier(aligned.data(), aligned.size());
  if (!verifier.VerifyBuffer<flat::UseRecord>(nullptr))
    throw error(Kind::unavailable, "the record of what is in use is damaged");
  Use use;
  read_use(*flatbuffers::GetRoot<flat::UseRecord>(aligned.data()), use);
  return use;
}

Bank decode_bank(std::string_view key, std::string_view bytes) {
  const Aligned aligned(bytes);
  flatbuffers::Verifier verifier(aligned.data(), aligned.size());
  if (key.size() <= key::kBankPrefix.size() || !verifier.VerifyBuffer<flat::BankRecord>(nullptr))
    throw error(Kind::unavailable, "the record of a bank is damaged");
  const auto& record = *flatbuffers::GetRoot<flat::BankRecord>(aligned.data());
  Bank bank;
  bank.name = key.substr(key::kBankPrefix.size());
  bank.parent = text(record.parent());
  bank.members = record.members();
  bank.member_shares = record.member_shares();
  read_account(record, bank);
  return bank;
}

Association decode_association(std::string_view key, std::string_view bytes) {
  const Aligned aligned(bytes);
  flatbuffers::Verifier verifier(aligned.data(), aligned.size());
  if (key.size() <= key::associations(0).size() || !verifier.VerifyBuffer<flat::AssociationRecord>(nullptr))
    throw error(Kind::unavailable, "the record of a user in a bank is damaged");
  const auto& record = *flatbuffers::GetRoot<flat::AssociationRecord>(aligned.data());
  Association association;
  association.userid = key::associated_user(key);
  association.bank = key.substr(key::associations(0).size());
  association.user = text(record.user());
  association.is_default = record.is_default();
  association.queues = texts(record.queues());
  association.qos = texts(record.qos());
  association.projects = texts(record.projects());
  association.default_project = text(record.default_project());
  read_account(record, association);
  return association;
}

}  // namespace fq::records
