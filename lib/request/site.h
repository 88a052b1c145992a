// An instance at a glance: how long it is there, whose, how large and how busy it is, and whether it works;
// and a report for pages and for monitoring: who uses it, how long jobs wait and how they end.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "request/accounts.h"
#include "request/queue.h"

namespace fq::request {

struct InstanceOverview {
  double now = 0;           ///< the store's time, seconds since the epoch
  double since = 0;         ///< when the store was made
  std::uint32_t owner = 0;  ///< the user it belongs to
  std::uint32_t depth = 0;  ///< in how many jobs it is, one in the other
  std::uint64_t nodes = 0, drained_nodes = 0;
  std::uint64_t cores = 0, allocated_cores = 0;
  std::uint64_t gpus = 0, allocated_gpus = 0;
  std::uint64_t allocated_nodes = 0;  ///< of which a job has something
  bool takes_jobs = true;             ///< a queue does
  bool starts_jobs = true;            ///< a queue does
  /// Jobs, of every user: those that wait, for whatever it be, that run or are ending, and by how they ended.
  std::uint64_t pending = 0, running = 0, completed = 0, failed = 0;
};

/// Of the whole, or of the jobs and nodes of one queue. Refused with Error{not_found}.
struct InstanceRequest {
  using Reply = InstanceOverview;
  std::optional<std::string> queue;
};

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

/// A report looks back so far at most.
inline constexpr int kMostDays = 366;

/// Costs what jobs ended in these days and are not purged.
struct SiteRequest {
  using Reply = SiteReport;
  /// The last so many; nothing: without days and waits, which costs nothing for jobs.
  std::optional<int> days;
};

}  // namespace fq::request
