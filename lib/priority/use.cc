#include "priority/use.h"

#include <algorithm>

namespace fq::priority {

namespace {

constexpr auto kCore = static_cast<std::size_t>(Resource::core);

std::int64_t cores_of(const Holding& job) {
  return static_cast<std::int64_t>(job.held[kCore]);
}

}  // namespace

void Use::enter(const Month& month) {
  if (month_begin >= month.begin) return;
  month_begin = month.begin;
  month_base = usage.total_at(month.begin)[kCore];
}

void Use::start(const Holding& job, const CountedAt& at) {
  enter(at.month);
  usage.hold(job.held, at.time, at.rate);
  ++running;
  if (job.end == 0) return;
  claims.cores += cores_of(job);
  claims.core_ends += cores_of(job) * job.end;
}

void Use::end(const Holding& job, const CountedAt& at) {
  enter(at.month);
  usage.let_go(job.held, at.time, at.rate);
  if (running > 0) --running;
  if (job.end == 0) return;
  claims.cores -= cores_of(job);
  claims.core_ends -= cores_of(job) * job.end;
}

void Use::prolong(const Holding& before, std::int64_t end) {
  if (before.end != 0) {
    claims.cores -= cores_of(before);
    claims.core_ends -= cores_of(before) * before.end;
  }
  if (end == 0) return;
  claims.cores += cores_of(before);
  claims.core_ends += cores_of(before) * end;
}

void Use::shift(const Usage::Shift& by, double used_at, const CountedAt& at) {
  enter(at.month);
  usage.shift(by, at.time, at.rate);
  if (used_at < month_begin) month_base += by.total[kCore];
}

void Use::add(const Use& other, const CountedAt& at) {
  enter(at.month);
  Use added = other;
  added.enter(at.month);
  usage.add(other.usage, at.time, at.rate);
  running += other.running;
  claims.cores += other.claims.cores;
  claims.core_ends += other.claims.core_ends;
  month_base += added.month_base;
}

void Use::hold_instead(const Use& counted, const CountedAt& at) {
  enter(at.month);
  usage.let_go(usage.state().held, at.time, at.rate);
  usage.hold(counted.usage.state().held, at.time, at.rate);
  running = counted.running;
  claims = counted.claims;
}

void Use::advance(const CountedAt& at) {
  enter(at.month);
  usage.advance(at.time, at.rate);
}

double Use::spent(const CountedAt& at) const {
  Use now = *this;
  now.enter(at.month);
  return std::max(0.0, usage.total_at(at.time)[kCore] - now.month_base);
}

double Use::claimed(const CountedAt& at) const {
  const double with_end = static_cast<double>(claims.core_ends) - static_cast<double>(claims.cores) * at.time;
  const double without = usage.state().held[kCore] - static_cast<double>(claims.cores);
  return std::max(0.0, with_end) + std::max(0.0, without) * std::max(0.0, at.month.end - at.time);
}

}  // namespace fq::priority
