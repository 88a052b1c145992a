// A store at a glance, for pages and for monitoring: what there is, who uses it, how long jobs wait and how
// they end.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "manager/accounts/overview.h"
#include "manager/engine/session.h"
#include "manager/site/queue_admin.h"
#include "store/reader.h"

namespace fq::manager {

struct SiteReport {
  double now = 0;   ///< seconds since the epoch
  double from = 0;  ///< the beginning of the first day

  std::uint64_t nodes = 0, cores = 0, gpus = 0;
  std::uint64_t allocated_cores = 0, allocated_gpus = 0, drained_nodes = 0;

  /// Of each queue by its name, jobs by what they are: `pending`, `running`, `completed`, `failed`,
  /// `canceled`, `timeout`; since the store was made, purged ones left out.
  std::map<std::string, std::map<std::string, std::uint64_t>> jobs;
  std::vector<QueueStatus> queues;

  /// Core-hours of one day of the time zone, by bank, or by user where there are no accounts.
  struct Day {
    std::string date;   ///< `2026-11-23`
    double span_h = 0;  ///< hours of it that have passed
    std::map<std::string, double> core_hours;
  };
  std::vector<Day> days;

  /// What jobs that started in these days waited for resources, seconds, by queue and size (cores as a power
  /// of two).
  struct Waits {
    std::string queue;
    std::uint8_t size = 0;
    std::uint64_t jobs = 0;
    double mean = 0, median = 0, p95 = 0;
  };
  std::vector<Waits> waits;

  AccountTree accounts;
};

/// Of the last `days` days. Costs what jobs ended in them and are not purged.
[[nodiscard]] SiteReport site_report(const Session& session, int days);

/// The same without days and waits: costs nothing for jobs.
[[nodiscard]] SiteReport site_figures(const Session& session);

}  // namespace fq::manager
