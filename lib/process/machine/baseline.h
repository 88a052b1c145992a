// What a process hands on to its children that not everybody can reset: hard limits, nice value, oom score,
// affinity, control group. The store records it once; a starter in which it differs must not start jobs, or
// they would inherit from whoever happened to run the scheduling pass.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "notation/idset.h"

namespace fq::process {

struct Baseline {
  /// One resource limit; kUnlimited for none.
  struct Limit {
    std::string name;  ///< as in a jobspec: `cpu`, `nofile`, …
    std::uint64_t soft = 0;
    std::uint64_t hard = 0;
    friend bool operator==(const Limit&, const Limit&) = default;
  };
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

  std::vector<Limit> limits;  ///< in the order of rlimit_names()
  int nice = 0;
  int oom_score_adj = 0;
  notation::Idset affinity;  ///< logical CPUs
  std::string cgroup;        ///< path in the unified hierarchy; empty where there is none

  /// That of this process.
  [[nodiscard]] static Baseline capture();
  [[nodiscard]] std::string encode() const;
  /// Throws Error{invalid} `baseline: …`.
  [[nodiscard]] static Baseline decode(std::string_view text);

  friend bool operator==(const Baseline&, const Baseline&) = default;
};

/// What `current` has otherwise than `recorded`, in words (`nofile limit is 64, not 1048576`); empty when a
/// job started from it would inherit nothing. Soft limits are left out: the shell sets them. Login sessions
/// of one user count as the same control group.
[[nodiscard]] std::vector<std::string> differences(const Baseline& current, const Baseline& recorded);

/// Whether what this process starts inherits nothing else than a store's jobs shall: `encoded` is the
/// store's, empty for any.
[[nodiscard]] bool is_in_force(const std::string& encoded);

/// Brings this process to `recorded` as far as its privileges allow. Returns the differences that remain.
std::vector<std::string> restore(const Baseline& recorded);

}  // namespace fq::process
