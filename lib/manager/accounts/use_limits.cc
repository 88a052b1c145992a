#include "manager/accounts/use_limits.h"

#include <array>

#include "base/text.h"
#include "manager/accounts/charging.h"
#include "records/accounts.h"

namespace fq::manager {

using priority::AccountLimits;
using priority::Amounts;
using priority::Resource;

namespace {

// Limits on what is held: of which resource, and what users call it.
struct HeldLimit {
  std::int64_t AccountLimits::*limit;
  Resource resource;
  std::string_view noun;
};
constexpr std::array kHeldLimits{HeldLimit{&AccountLimits::nodes, Resource::node, "node"},
                                 HeldLimit{&AccountLimits::cores, Resource::core, "core"},
                                 HeldLimit{&AccountLimits::gpus, Resource::gpu, "GPU"}};

double& of(Amounts& amounts, Resource resource) {
  return amounts[static_cast<std::size_t>(resource)];
}

// What a job will hold at least.
Amounts asked(const job::Job& job) {
  const document::ResourceCounts& counts = job.counts;
  Amounts amounts{};
  of(amounts, Resource::node) = std::max<double>(1, counts.nnodes);
  of(amounts, Resource::core) = static_cast<double>(counts.nslots) * counts.cores_per_slot;
  of(amounts, Resource::gpu) = static_cast<double>(counts.nslots) * counts.gpus_per_slot;
  return amounts;
}

}  // namespace

UseLimits::Holder& UseLimits::holder(const std::string& key, const priority::Account& account,
                                     std::string name) {
  const auto [at, is_new] = known_.try_emplace(key);
  if (is_new) at->second = {std::move(name), account.limits, account.running, account.usage.state().held};
  return at->second;
}

const std::vector<UseLimits::Holder*>& UseLimits::holders(const job::Job& job) {
  const auto [at, is_new] = ways_.try_emplace(Member{job.userid, job.bank});
  if (!is_new) return at->second;
  if (!exist_) exist_ = records::has_accounts(*reader_);
  if (!*exist_ || job.bank.empty()) return at->second;
  const auto association = records::find_association(*reader_, job.userid, job.bank);
  if (!association) return at->second;
  const auto add = [&](const std::string& key, const priority::Account& account, std::string name) {
    if (account.limits != AccountLimits{}) at->second.push_back(&holder(key, account, std::move(name)));
  };
  add(fmt::format("{} {}", job.userid, job.bank), *association,
      fmt::format("user {} in bank {}", quote(association->user), quote(association->bank)));
  for (const priority::Bank& bank : records::banks_above(*reader_, job.bank))
    add(bank.name, bank, fmt::format("bank {}", quote(bank.name)));
  return at->second;
}

std::optional<std::string> UseLimits::reached(const job::Job& job) {
  const std::vector<Holder*>& way = holders(job);
  if (way.empty()) return std::nullopt;
  Amounts more = asked(job);
  for (Holder* each : way) {
    const std::int64_t most_running = each->limits.running_jobs;
    if (each->job_waits ||
        (most_running != AccountLimits::kNone && each->running >= static_cast<std::uint64_t>(most_running))) {
      each->job_waits = true;
      return fmt::format("{} has {}, at most {} may run", each->name, counted(each->running, "running job"),
                         most_running);
    }
    for (const HeldLimit& limit : kHeldLimits) {
      const std::int64_t most = each->limits.*limit.limit;
      const double held = of(each->held, limit.resource), asks = of(more, limit.resource);
      bool& waited_for = each->waited_for[static_cast<std::size_t>(limit.resource)];
      if (most == AccountLimits::kNone || asks == 0) continue;
      if (!waited_for && held + asks <= static_cast<double>(most)) continue;
      waited_for = true;
      return fmt::format("{} has {} in use, at most {} may be, and it asks for {:.0f}", each->name,
                         counted(static_cast<std::uint64_t>(held), limit.noun), most, asks);
    }
  }
  return std::nullopt;
}

std::optional<std::string> UseLimits::never(const job::Job& job) {
  Amounts more = asked(job);
  for (Holder* each : holders(job)) {
    if (each->limits.running_jobs == 0) return fmt::format("{} may have no running jobs", each->name);
    for (const HeldLimit& limit : kHeldLimits) {
      const std::int64_t most = each->limits.*limit.limit;
      const double asks = of(more, limit.resource);
      if (most == AccountLimits::kNone || asks <= static_cast<double>(most)) continue;
      return fmt::format("{} may have {} in use at most, and it asks for {:.0f}", each->name,
                         counted(static_cast<std::uint64_t>(most), limit.noun), asks);
    }
  }
  return std::nullopt;
}

void UseLimits::started(const job::Job& job, const document::ResourceSet& r) {
  const std::vector<Holder*>& way = holders(job);
  if (way.empty()) return;
  const Amounts held = charged_amounts(r);
  for (Holder* each : way) {
    ++each->running;
    for (std::size_t i = 0; i < priority::kResources; ++i) each->held[i] += held[i];
  }
}

}  // namespace fq::manager
