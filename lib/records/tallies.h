// What was used, hour by hour and undecayed, for reports: of each user in each bank, by queue, project,
// quality of service and size. Truth: jobs may be purged, these stay.
//
//   account/hour/ be32(hour) be32(uid) size[1] bank NUL queue NUL project NUL qos
//     → jobs SP amount SP amount SP amount SP amount [SP amount]     amounts: priority::Resource; the last
//     one,
//                                                                    energy, where there is any
//
// Hours are counted from the epoch; a job is counted in that in which it ended, its use in those in which it
// was.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "priority/usage.h"
#include "store/transaction.h"

namespace fq::records {

inline constexpr double kTallySpan_s = 3600;

/// What is told apart.
struct TallyKey {
  std::uint32_t hour = 0;
  std::uint32_t userid = 0;
  std::uint8_t size = 0;  ///< of the job: cores as a power of two, rounded down; 0xFF: no job
  std::string bank, queue, project, qos;

  friend auto operator<=>(const TallyKey&, const TallyKey&) = default;
};
inline constexpr std::uint8_t kNoSize = 0xFF;

struct Tally {
  double jobs = 0;
  priority::Amounts seconds{};
};

/// The hour that a time, seconds since the epoch, falls into.
[[nodiscard]] std::uint32_t hour_of(double time);

/// Adds to what stands under the key; a credit may make it negative.
void add_tally(store::Transaction& transaction, const TallyKey& key, const Tally& more);
/// Spreads what was held from `from` to `to`, seconds since the epoch, over the hours; `key.hour` is passed
/// over. `visit` may be add_tally.
void spread(const priority::Amounts& held, double from, double to, TallyKey key,
            const std::function<void(const TallyKey&, const Tally&)>& visit);
/// Visits what is stored of the hours from `from` on, before `to`. Throws Error{unavailable} for damaged
/// ones.
void for_each_tally(const store::Reader& reader, std::uint32_t from, std::uint32_t to,
                    const std::function<void(const TallyKey&, const Tally&)>& visit);
/// The keys of what cannot be read of them.
[[nodiscard]] std::vector<std::string> damaged_tallies(const store::Reader& reader);

}  // namespace fq::records
