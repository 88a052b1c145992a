// What an account, or whatever else has limits, has in use and has used: held now, spent this month, and what
// running jobs may still spend. Written at allocation and release only.
//
// Of a month only its beginning is kept, with all that had been used by then; what was used since is the
// difference. Whoever writes in a new month moves the beginning on, exactly, because usage between two
// writes is a straight line.

#pragma once

#include <cstdint>

#include "base/civil_month.h"
#include "priority/usage.h"

namespace fq::priority {

/// When something is counted, at what rate usage decays, and in which month of budgets.
struct CountedAt {
  double time = 0;
  double rate = 0;
  Month month;
};

/// What a job holds. `end`: the second by which it will have ended, 0 for one without a time limit.
struct Holding {
  Amounts held{};
  std::int64_t end = 0;

  friend bool operator==(const Holding&, const Holding&) = default;
};

/// The cores of running jobs with a time limit, and the sum of cores x end over these jobs.
struct Claims {
  std::int64_t cores = 0, core_ends = 0;

  friend bool operator==(const Claims&, const Claims&) = default;
};

struct Use {
  Usage usage;
  std::uint64_t running = 0;  ///< jobs that hold something
  Claims claims;
  double month_begin = 0;  ///< of the month of the last write; 0: none was counted yet
  double month_base = 0;   ///< core-seconds used before it, undecayed

  void start(const Holding& job, const CountedAt& at);
  void end(const Holding& job, const CountedAt& at);
  /// The job that holds `before` will end at another time.
  void prolong(const Holding& before, std::int64_t end);
  /// What was used at `used_at`, as Usage::shift.
  void shift(const Usage::Shift& by, double used_at, const CountedAt& at);
  /// Adds what another has used, and holds.
  void add(const Use& other, const CountedAt& at);
  /// Holds what `counted` holds, instead of what it did.
  void hold_instead(const Use& counted, const CountedAt& at);
  /// Moves usage on to `at`: with another rate afterwards, what was used before stays.
  void advance(const CountedAt& at);

  /// Core-seconds since the month began, running jobs included.
  [[nodiscard]] double spent(const CountedAt& at) const;
  /// Core-seconds that running jobs may still use: those without a time limit until the month ends.
  [[nodiscard]] double claimed(const CountedAt& at) const;

 private:
  void enter(const Month& month);
};

}  // namespace fq::priority
