// What was used, for reports: hours of each resource by user, bank, queue and whatever else is told apart,
// undecayed, jobs that run included.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priority/usage.h"

namespace fq::request {

/// What rows are made of.
enum class ReportBy : std::uint8_t { user, bank, association, queue, project, qos, size, hour, day, month };
struct ReportByName {
  std::string_view name;
  ReportBy by;
};
inline constexpr std::array<ReportByName, 10> kReportBy{{{"user", ReportBy::user},
                                                         {"bank", ReportBy::bank},
                                                         {"association", ReportBy::association},
                                                         {"queue", ReportBy::queue},
                                                         {"project", ReportBy::project},
                                                         {"qos", ReportBy::qos},
                                                         {"size", ReportBy::size},
                                                         {"hour", ReportBy::hour},
                                                         {"day", ReportBy::day},
                                                         {"month", ReportBy::month}}};

struct ReportRow {
  std::vector<std::string> key;  ///< one for each of `by`
  std::uint64_t jobs = 0;        ///< that have ended
  priority::Amounts seconds{};
};

struct ReportReply {
  std::vector<ReportRow> rows;  ///< in the order of their keys, and the sum of all last, its key empty
};

/// Days and months are those of the time zone; sizes are cores, `16-31`. Refused with Error{not_found} for a
/// user or a bank that there is not.
struct ReportRequest {
  using Reply = ReportReply;
  std::vector<ReportBy> by{ReportBy::association};
  std::optional<double> from, to;         ///< seconds since the epoch; whole hours are counted
  std::optional<std::string> user, bank;  ///< of these alone; a bank with all that is in it
};

}  // namespace fq::request
