#include "manager/accounts/use_limits.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <numeric>

#include "base/text.h"
#include "manager/accounts/charging.h"
#include "manager/pass/schedule_pass.h"
#include "manager/pass/stored_pool.h"
#include "records/accounts.h"
#include "sched/matcher.h"

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

constexpr double kHour = 3600;

double& of(Amounts& amounts, Resource resource) {
  return amounts[static_cast<std::size_t>(resource)];
}

// The end of a sentence on what is in use, for a job that would fit but for another.
std::string behind(JobId first, const std::string& asks) {
  return fmt::format(", and job {}, which comes before it, asks for {}", first, asks);
}

// So many digits, one at least, that what is shown of the parts is together more than `most`, as they are.
int digits_beyond(double most, std::initializer_list<double> parts) {
  constexpr int kMost = 6;
  if (std::accumulate(parts.begin(), parts.end(), 0.0) <= most) return 1;
  for (int digits = 1; digits < kMost; ++digits) {
    const double unit = std::pow(10.0, -digits);
    double shown = 0;
    for (const double part : parts) shown += std::round(part / unit) * unit;
    if (shown > most + unit / 2) return digits;
  }
  return kMost;
}

}  // namespace

const UseLimits::WholeNode& UseLimits::whole_node(const job::Job& job) {
  const auto [at, is_new] = whole_nodes_.try_emplace({job.queue, job.constraint});
  if (!is_new) return at->second;
  if (pool_ == nullptr) {
    read_pool_ = load_pool(*reader_);
    pool_ = read_pool_.get();
  }
  sched::Matcher matcher(*pool_);
  std::optional<WholeNode> least;
  for (const sched::NodeRange& range : matcher.nodes(alloc_request(job, 0))) {
    for (std::size_t node = range.begin; node < range.end; ++node) {
      if (!least) least = {pool_->cores(node), pool_->gpus(node)};
      least = {std::min(least->cores, pool_->cores(node)), std::min(least->gpus, pool_->gpus(node))};
    }
  }
  return at->second = least.value_or(WholeNode{});
}

Amounts UseLimits::asked(const job::Job& job) {
  const document::ResourceCounts& counts = job.counts;
  const double nodes = std::max<double>(1, counts.nnodes);
  Amounts amounts{};
  of(amounts, Resource::node) = nodes;
  of(amounts, Resource::core) = static_cast<double>(counts.nslots) * counts.cores_per_slot;
  of(amounts, Resource::gpu) = static_cast<double>(counts.nslots) * counts.gpus_per_slot;
  if (counts.exclusive) {
    const WholeNode& least = whole_node(job);
    of(amounts, Resource::core) = std::max(of(amounts, Resource::core), nodes * least.cores);
    of(amounts, Resource::gpu) = std::max(of(amounts, Resource::gpu), nodes * least.gpus);
  }
  return amounts;
}

const priority::Accounting& UseLimits::accounting() {
  if (!accounting_) accounting_ = records::read_accounting(*reader_);
  return *accounting_;
}

const priority::CountedAt& UseLimits::counted_at() {
  if (!counted_at_) counted_at_ = accounting().counted_at(now_);
  return *counted_at_;
}

UseLimits::Holder& UseLimits::holder(const std::string& key, const priority::Use& use,
                                     const AccountLimits& limits, std::string name) {
  const auto [at, is_new] = known_.try_emplace(key);
  if (!is_new) return at->second;
  Holder& made = at->second;
  made.name = std::move(name);
  made.limits = limits;
  made.running = use.running;
  made.held = use.usage.state().held;
  if (limits.core_hours != AccountLimits::kNone) {
    made.spent = use.spent(counted_at());
    made.claimed = use.claimed(counted_at());
  }
  return made;
}

const std::vector<UseLimits::Holder*>& UseLimits::holders(const job::Job& job) {
  const auto [at, is_new] = ways_.try_emplace(Kind{job.userid, job.bank, job.queue, job.qos});
  if (!is_new) return at->second;
  std::vector<Holder*>& way = at->second;
  if (!exist_) exist_ = records::has_accounts(*reader_);
  const auto association =
      *exist_ && !job.bank.empty() ? records::find_association(*reader_, job.userid, job.bank) : std::nullopt;
  const auto add = [&](const std::string& key, const priority::Account& account, std::string name) {
    if (account.limits != AccountLimits{})
      way.push_back(&holder(key, account, account.limits, std::move(name)));
  };
  if (association) {
    add(fmt::format("{} {}", job.userid, job.bank), *association,
        fmt::format("user {} in bank {}", quote(association->user), quote(association->bank)));
    for (const priority::Bank& bank : records::banks_above(*reader_, job.bank))
      add(bank.name, bank, fmt::format("bank {}", quote(bank.name)));
  }
  for (records::LimitedUse& use : limited_.of({job.queue, job.qos, job.userid, job.bank})) {
    way.push_back(&holder(use.key, records::find_use(*reader_, use.key).value_or(priority::Use{}), use.limits,
                          std::move(use.name)));
  }
  return way;
}

double UseLimits::core_seconds(const job::Job& job) {
  const double length = job.duration > 0 ? job.duration : counted_at().month.end - now_;
  return asked(job)[static_cast<std::size_t>(Resource::core)] * length;
}

std::optional<std::string> UseLimits::over_budget(Holder& holder, const job::Job& job) {
  if (holder.limits.core_hours == AccountLimits::kNone) return std::nullopt;
  const double most = static_cast<double>(holder.limits.core_hours) * kHour, asks = core_seconds(job);
  const double left = most - holder.spent - holder.claimed;
  const std::optional<Waiter>& first = holder.waits_for_budget;
  if (!first && asks <= left) return std::nullopt;
  const int digits = digits_beyond(
      static_cast<double>(holder.limits.core_hours),
      {holder.spent / kHour, holder.claimed / kHour, (asks <= left ? first->asks : asks) / kHour});
  std::string text =
      fmt::format("{} has used {:.{}f} of {} this month", holder.name, holder.spent / kHour, digits,
                  counted(static_cast<std::uint64_t>(holder.limits.core_hours), "core-hour"));
  if (holder.claimed > 0)
    text += fmt::format(", running jobs may use {:.{}f} more", holder.claimed / kHour, digits);
  if (asks <= left) return text + behind(first->id, fmt::format("{:.{}f}", first->asks / kHour, digits));
  text += fmt::format(", and it asks for {:.{}f}", asks / kHour, digits);
  if (job.duration <= 0) text += ", for it has no time limit, and counts until the month ends";
  return text;
}

// The budget has no room for the job.
void UseLimits::note_budget(Holder& holder, const job::Job& job) {
  const double most = static_cast<double>(holder.limits.core_hours) * kHour, asks = core_seconds(job);
  next_chance_ = std::min(next_chance_, counted_at().month.end);
  if (job.duration <= 0 && asks > 0) {
    const double left = std::max(0.0, most - holder.spent - holder.claimed);
    Amounts amounts = asked(job);
    const double fits = counted_at().month.end - left / of(amounts, Resource::core);
    if (fits > now_) next_chance_ = std::min(next_chance_, fits);
    if (asks > most) return;
  }
  if (!holder.waits_for_budget) holder.waits_for_budget = Waiter{job.id, asks};
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
      std::optional<Waiter>& first = each->waits_for[static_cast<std::size_t>(limit.resource)];
      if (most == AccountLimits::kNone || asks == 0) continue;
      const bool fits = held + asks <= static_cast<double>(most);
      if (!first && fits) continue;
      const std::string text = fmt::format("{} has {} in use, at most {} may be", each->name,
                                           counted(static_cast<std::uint64_t>(held), limit.noun), most);
      // One that asks for more than is allowed to it keeps nobody waiting: limits may be lowered while it
      // waits.
      if (!first && asks <= static_cast<double>(most)) first = Waiter{job.id, asks};
      return fits ? text + behind(first->id, fmt::format("{:.0f}", first->asks))
                  : fmt::format("{}, and it asks for {:.0f}", text, asks);
    }
    if (auto budget = over_budget(*each, job)) {
      note_budget(*each, job);
      return budget;
    }
  }
  return std::nullopt;
}

std::optional<std::string> UseLimits::refused(const job::Job& job) {
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
    const std::int64_t budget = each->limits.core_hours;
    if (budget == AccountLimits::kNone) continue;
    if (job.duration > 0 && core_seconds(job) > static_cast<double>(budget) * kHour) {
      const double asks = core_seconds(job) / kHour;
      const int digits = digits_beyond(static_cast<double>(budget), {asks});
      return fmt::format("{} may use {} a month at most, and it asks for {:.{}f}", each->name,
                         counted(static_cast<std::uint64_t>(budget), "core-hour"), asks, digits);
    }
    if (!accounting().refuse_over_budget) continue;
    if (auto over = over_budget(*each, job)) return over;
  }
  return std::nullopt;
}

void UseLimits::started(const job::Job& job, const document::ResourceSet& r) {
  const std::vector<Holder*>& way = holders(job);
  if (way.empty()) return;
  const Amounts held = charged_amounts(r);
  for (Holder* each : way) {
    ++each->running;
    each->claimed += core_seconds(job);
    for (std::size_t i = 0; i < priority::kResources; ++i) each->held[i] += held[i];
  }
}

}  // namespace fq::manager
