#include "manager/pass/period_timer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "records/job_priorities.h"
#include "records/keys.h"

namespace fq::manager {

using store::Family;

namespace {

// Job ids begin above: RFC 19 has milliseconds in their upper bits.
constexpr notation::JobId kTimerId{1};

std::string timer_at(std::uint64_t microseconds) {
  return records::key::timer(static_cast<double>(microseconds) * 1e-6, kTimerId);
}

// Whether the order of a queue's jobs may be another one later, nothing else having changed.
bool moves_with_time(const priority::Parameters& parameters) {
  return parameters.scheme == priority::Scheme::multifactor &&
         (parameters.weights.wait_time > 0 || parameters.weights.fair_share > 0);
}

}  // namespace

std::optional<std::string> period_timer(const store::Reader& reader) {
  const auto text = reader.get(Family::instance, records::key::kPeriodTimer);
  if (!text) return std::nullopt;
  return timer_at(parse_u64(*text).value_or(0));
}

double time_of_period_timer(const store::Reader& reader) {
  const auto text = reader.get(Family::instance, records::key::kPeriodTimer);
  return text ? static_cast<double>(parse_u64(*text).value_or(0)) * 1e-6
              : std::numeric_limits<double>::infinity();
}

void clear_period_timer(store::Transaction& transaction) {
  const auto timer = period_timer(transaction);
  if (!timer) return;
  transaction.erase(Family::index, *timer);
  transaction.erase(Family::instance, records::key::kPeriodTimer);
}

double next_boundary(const priority::Parameters& parameters, double now) {
  if (!moves_with_time(parameters)) return std::numeric_limits<double>::infinity();
  return (std::floor(now / parameters.period_s) + 1) * parameters.period_s;
}

void set_period_timer(Change& change, double time, double in_any_case) {
  store::Transaction& transaction = change.transaction();
  if (std::isfinite(time)) {
    const sched::Pool::Totals& free = change.pool().available();
    if (free.cores > 0 || free.gpus > 0) in_any_case = std::min(in_any_case, time);
  }
  time = in_any_case;
  if (std::isinf(time)) return clear_period_timer(transaction);
  const std::uint64_t microseconds = records::to_microseconds(time);
  if (period_timer(transaction) == timer_at(microseconds)) return;
  clear_period_timer(transaction);
  transaction.put(Family::index, timer_at(microseconds), "");
  transaction.put(Family::instance, records::key::kPeriodTimer, fmt::format("{}", microseconds));
}

PriorityUpdate update_priorities(const Session& session) {
  PriorityUpdate done;
  transact(
      session, [&](Change& change) { done.was_due = records::pass_is_due(change.transaction()); },
      FullDisk::use_reserve);
  query(session, [&](const store::Reader& reader) {
    auto counts = records::read_counts(reader, {});
    done.waiting = counts["S"];
    done.running = counts["R"];
  });
  return done;
}

}  // namespace fq::manager
