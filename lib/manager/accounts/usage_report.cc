#include "manager/accounts/usage_report.h"

#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "manager/accounts/charging.h"
#include "manager/accounts/overview.h"
#include "records/accounts.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/store_time.h"

namespace fq::manager {

using records::Tally;
using records::TallyKey;

namespace {

/// Of jobs that name none; what was charged by hand counts as that, too.
constexpr std::string_view kNormalQos = "normal";

std::string hour_text(std::uint32_t hour, const char* format) {
  const auto time = static_cast<std::time_t>(static_cast<double>(hour) * records::kTallySpan_s);
  std::tm local{};
  ::localtime_r(&time, &local);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), format, &local);
  return {text.data(), size};
}

// `16-31`; of what no job used, nothing.
std::string size_text(std::uint8_t size) {
  if (size == records::kNoSize) return "";
  const std::uint64_t least = std::uint64_t{1} << size;
  return size == 0 ? "1" : fmt::format("{}-{}", least, 2 * least - 1);
}

// What sums of what was used and credited leave of nothing is nothing.
double settled(double seconds) {
  constexpr double kNegligible = 1e-3;
  return std::abs(seconds) < kNegligible ? 0 : seconds;
}

class UsageRows {
 public:
  UsageRows(const store::Reader& reader, const Session& session, const ReportRequest& request)
      : reader_(reader), request_(request), now_(records::store_time(reader, *session.clock).now) {
    if (request.bank) add_bank(*request.bank);
    if (request.user) {
      userid_ = records::find_user(reader, *request.user);
      if (!userid_) throw error(Kind::not_found, "user {} is in no bank", quote(*request.user));
    }
    for (const priority::Association& each : records::read_associations(reader))
      users_.emplace(each.userid, each.user);
  }

  std::vector<ReportRow> make() {
    const std::uint32_t from = request_.from ? records::hour_of(*request_.from) : 0;
    const std::uint32_t to =
        request_.to
            ? records::hour_of(std::ceil(*request_.to / records::kTallySpan_s) * records::kTallySpan_s)
            : std::numeric_limits<std::uint32_t>::max();
    records::for_each_tally(reader_, from, to,
                            [&](const TallyKey& key, const Tally& tally) { add(key, tally); });
    add_running(from, to);
    std::vector<ReportRow> rows;
    ReportRow sum;
    for (auto& [key, row] : rows_) {
      for (double& seconds : row.seconds) seconds = settled(seconds);
      sum.jobs += row.jobs;
      for (std::size_t i = 0; i < priority::kResources; ++i) sum.seconds[i] += row.seconds[i];
      rows.push_back(std::move(row));
    }
    for (double& seconds : sum.seconds) seconds = settled(seconds);
    rows.push_back(std::move(sum));
    return rows;
  }

 private:
  void add_bank(const std::string& name) {
    const auto banks = records::read_banks(reader_);
    const auto add = [&](const auto& self, const std::string& bank) -> void {
      banks_.insert(bank);
      for (const priority::Bank& each : banks) {
        if (each.parent == bank) self(self, each.name);
      }
    };
    if (!records::find_bank(reader_, name)) throw records::no_such_bank(reader_, name);
    add(add, name);
  }

  // What jobs that run hold until now.
  void add_running(std::uint32_t from, std::uint32_t to) {
    std::vector<notation::JobId> ids;
    for (const auto at = reader_.scan_prefix(store::Family::instance, records::key::kChargePrefix);
         at->valid(); at->next())
      ids.push_back(records::key::indexed_job(at->key()));
    for (const notation::JobId id : ids) {
      const auto job = records::find_job(reader_, id);
      const auto charge = records::find_charge(reader_, id);
      if (!job || !charge) continue;
      records::spread(charge->held, job->t_run, now_, tally_key(*job, *charge),
                      [&](const TallyKey& key, const Tally& tally) {
                        if (key.hour >= from && key.hour < to) add(key, tally);
                      });
    }
  }

  void add(const TallyKey& key, const Tally& tally) {
    if (userid_ && key.userid != *userid_) return;
    if (request_.bank && !banks_.contains(key.bank)) return;
    std::vector<std::string> shown;
    // Sizes are ordered as numbers.
    std::string order;
    for (const ReportBy by : request_.by) {
      shown.push_back(part(by, key));
      order += by == ReportBy::size ? std::string(1, static_cast<char>(key.size)) : shown.back();
      order += '\0';
    }
    ReportRow& row = rows_[order];
    row.key = std::move(shown);
    row.jobs += static_cast<std::uint64_t>(std::llround(tally.jobs));
    for (std::size_t i = 0; i < priority::kResources; ++i) row.seconds[i] += tally.seconds[i];
  }

  [[nodiscard]] std::string part(ReportBy by, const TallyKey& key) const {
    switch (by) {
      case ReportBy::user:
        return user(key.userid);
      case ReportBy::bank:
        return key.bank;
      case ReportBy::association:
        return fmt::format("{}:{}", key.bank, user(key.userid));
      case ReportBy::queue:
        return key.queue;
      case ReportBy::project:
        return key.project;
      case ReportBy::qos:
        return key.qos.empty() ? std::string{kNormalQos} : key.qos;
      case ReportBy::size:
        return size_text(key.size);
      case ReportBy::hour:
        return hour_text(key.hour, "%Y-%m-%dT%H");
      case ReportBy::day:
        return hour_text(key.hour, "%Y-%m-%d");
      case ReportBy::month:
        return hour_text(key.hour, "%Y-%m");
    }
    return {};
  }

  [[nodiscard]] std::string user(std::uint32_t userid) const {
    const auto found = users_.find(userid);
    return found == users_.end() ? fmt::format("{}", userid) : found->second;
  }

  const store::Reader& reader_;
  const ReportRequest& request_;
  double now_;
  std::set<std::string> banks_;
  std::optional<std::uint32_t> userid_;
  std::map<std::uint32_t, std::string> users_;
  std::map<std::string, ReportRow> rows_;
};

}  // namespace

std::vector<ReportRow> usage_report(const store::Reader& reader, const Session& session,
                                    const ReportRequest& request) {
  if (request.from && request.to && *request.from > *request.to)
    throw error(Kind::invalid, "the start of the report is after its end");
  return UsageRows(reader, session, request).make();
}

std::vector<ReportRow> usage_report(const Session& session, const ReportRequest& request) {
  std::vector<ReportRow> rows;
  query_repaired(session,
                 [&](const store::Reader& reader) { rows = usage_report(reader, session, request); });
  return rows;
}

}  // namespace fq::manager
