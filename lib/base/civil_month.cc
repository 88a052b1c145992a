#include "base/civil_month.h"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

namespace fq {

bool is_time_zone(const std::string& name) {
  absl::TimeZone zone;
  return !name.empty() && absl::LoadTimeZone(name, &zone);
}

Month month_of(double time, const std::string& zone_name) {
  absl::TimeZone zone;
  if (!absl::LoadTimeZone(zone_name, &zone)) zone = absl::UTCTimeZone();
  const absl::CivilMonth month =
      absl::ToCivilMonth(absl::FromUnixSeconds(static_cast<std::int64_t>(time)), zone);
  const auto begin = [&](const absl::CivilMonth& of) {
    return static_cast<double>(absl::ToUnixSeconds(absl::FromCivil(absl::CivilDay(of), zone)));
  };
  return {begin(month), begin(month + 1)};
}

}  // namespace fq
