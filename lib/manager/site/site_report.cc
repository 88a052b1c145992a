#include "manager/site/site_report.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <ctime>
#include <utility>

#include "base/text.h"
#include "manager/look/select.h"
#include "manager/site/resource_use.h"
#include "records/instance.h"
#include "records/store_time.h"
#include "records/tallies.h"

namespace fq::manager {

namespace {

constexpr double kHour = 3600, kDay = 24 * kHour;

// The day of the time zone in which a time lies: its date, and when it began.
std::pair<std::string, double> day_of(double time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  std::string date = fmt::format("{:04}-{:02}-{:02}", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday);
  local.tm_hour = local.tm_min = local.tm_sec = 0;
  local.tm_isdst = -1;
  return {std::move(date), static_cast<double>(::mktime(&local))};
}

std::string_view word_of(std::string_view status) {
  if (status == "CD") return "completed";
  if (status == "F") return "failed";
  if (status == "CA") return "canceled";
  if (status == "TO") return "timeout";
  return status == "R" || status == "C" ? "running" : "pending";
}

class SiteReader {
 public:
  SiteReader(const store::Reader& reader, const Session& session) : reader_(reader), session_(session) {
    report_.now = records::store_time(reader, *session.clock).now;
  }

  void read_figures() {
    const ResourceUse use = resource_use(reader_);
    for (const document::ResourceSet::Node& node : use.inventory.nodes()) {
      ++report_.nodes;
      report_.cores += node.cores.count();
      report_.gpus += node.gpus.count();
    }
    for (const document::ResourceSet::Node& node : use.allocated.nodes()) {
      report_.allocated_cores += node.cores.count();
      report_.allocated_gpus += node.gpus.count();
    }
    report_.drained_nodes = use.drains.size();
    for (const auto& [queue, counts] : records::read_counts_by_queue(reader_)) {
      for (const auto& [status, count] : counts) report_.jobs[queue][std::string{word_of(status)}] += count;
    }
    report_.queues = queue_status(reader_, std::nullopt);
    report_.accounts = account_tree(reader_, session_);
  }

  void read_days(int days) {
    std::vector<std::pair<std::string, double>> begins;
    // A day may have 23 or 25 hours: noon is in the day in any case.
    const double noon = day_of(report_.now).second + kDay / 2;
    for (int back = days - 1; back >= 0; --back) begins.push_back(day_of(noon - back * kDay));
    report_.from = begins.front().second;
    for (const auto& [date, begin] : begins) {
      const double end = day_of(begin + 1.5 * kDay).second;
      report_.days.push_back({date, std::max(0.0, std::min(report_.now, end) - begin) / kHour, {}});
      places_.emplace(date, report_.days.size() - 1);
    }
    if (report_.accounts.exists) read_tallies();
    read_jobs();
  }

  SiteReport take() { return std::move(report_); }

 private:
  void add(double time, const std::string& who, double core_seconds) {
    const auto found = places_.find(day_of(time).first);
    if (found != places_.end()) report_.days[found->second].core_hours[who] += core_seconds / kHour;
  }

  void read_tallies() {
    constexpr auto kCore = static_cast<std::size_t>(priority::Resource::core);
    records::for_each_tally(reader_, records::hour_of(report_.from), records::hour_of(report_.now) + 1,
                            [&](const records::TallyKey& key, const records::Tally& tally) {
                              add(key.hour * records::kTallySpan_s, key.bank, tally.seconds[kCore]);
                            });
  }

  // Jobs that ended in these days, or run.
  void read_jobs() {
    std::map<std::pair<std::string, std::uint8_t>, std::vector<double>> waits;
    JobFilter filter;
    filter.states = {job::State::run, job::State::cleanup, job::State::inactive};
    filter.since = report_.from;
    visit_jobs(reader_, filter, [&](job::Job&& job) {
      if (job.t_run == 0) return true;
      const double end = job.state == job::State::inactive ? job.t_cleanup : report_.now;
      if (!report_.accounts.exists || job.state != job::State::inactive) add_use(job, end);
      if (job.t_run >= report_.from) {
        const auto size =
            static_cast<std::uint8_t>(std::bit_width(std::max<std::uint32_t>(job.ncores, 1)) - 1);
        waits[{job.queue, size}].push_back(std::max(0.0, job.t_run - std::max(job.t_submit, job.t_eligible)));
      }
      return true;
    });
    for (auto& [key, list] : waits) report_.waits.push_back(summed(key.first, key.second, list));
  }

  void add_use(const job::Job& job, double end) {
    const std::string who = report_.accounts.exists ? job.bank : fmt::format("{}", job.userid);
    for (double at = std::max(job.t_run, report_.from); at < end;) {
      const double next = std::min(end, (std::floor(at / kHour) + 1) * kHour);
      add(at, who, job.ncores * (next - at));
      at = next;
    }
  }

  static SiteReport::Waits summed(const std::string& queue, std::uint8_t size, std::vector<double>& waits) {
    std::sort(waits.begin(), waits.end());
    const auto at = [&](double part) {
      return waits[static_cast<std::size_t>(part * static_cast<double>(waits.size() - 1))];
    };
    double sum = 0;
    for (const double wait : waits) sum += wait;
    return {queue, size, waits.size(), sum / static_cast<double>(waits.size()), at(0.5), at(0.95)};
  }

  const store::Reader& reader_;
  const Session& session_;
  SiteReport report_;
  std::map<std::string, std::size_t> places_;  ///< of days, by their dates
};

}  // namespace

SiteReport site_figures(const Session& session) {
  SiteReport figures;
  query_repaired(session, [&](const store::Reader& reader) {
    SiteReader report(reader, session);
    report.read_figures();
    figures = report.take();
  });
  return figures;
}

SiteReport site_report(const Session& session, int days) {
  if (days < 1 || days > request::kMostDays)
    throw error(Kind::invalid, "expected a number of days from 1 to {}, got {}", request::kMostDays, days);
  SiteReport whole;
  query_repaired(session, [&](const store::Reader& reader) {
    SiteReader report(reader, session);
    report.read_figures();
    report.read_days(days);
    whole = report.take();
  });
  return whole;
}

}  // namespace fq::manager
