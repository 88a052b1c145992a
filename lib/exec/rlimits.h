// Resource limits by the names that jobspecs use for them.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fq::exec {

struct RlimitName {
  std::string_view name;  ///< `nofile`
  int resource;           ///< RLIMIT_NOFILE
};
/// Every limit that fq knows, in a fixed order.
[[nodiscard]] std::span<const RlimitName> rlimit_names();
/// The limit of that name; nothing for an unknown one. `ofile` is another name of `nofile`.
[[nodiscard]] std::optional<int> rlimit_by_name(std::string_view name);

/// A soft limit that a job asks for.
struct SoftLimit {
  static constexpr std::int64_t kInfinity = -1;
  std::string name;
  int resource = 0;
  std::int64_t value = 0;
  friend bool operator==(const SoftLimit&, const SoftLimit&) = default;
};

/// The limits fitted to this process's hard limits, and a line for each finite one that had to be lowered.
struct FittedLimits {
  struct Limit {
    int resource;
    std::uint64_t soft;
    std::uint64_t hard;
  };
  std::vector<Limit> limits;
  std::vector<std::string> warnings;
};
[[nodiscard]] FittedLimits fit_limits(std::span<const SoftLimit> wanted);

/// While it lives this process may open as many files as its hard limit allows.
class AllDescriptors {
 public:
  AllDescriptors();
  ~AllDescriptors();
  AllDescriptors(const AllDescriptors&) = delete;
  AllDescriptors& operator=(const AllDescriptors&) = delete;

 private:
  std::uint64_t previous_soft_ = 0;
};

}  // namespace fq::exec
