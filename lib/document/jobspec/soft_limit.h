// Resource limits by the names that jobspecs use for them.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fq::document {

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

}  // namespace fq::document
