// Resource limits of this process and of those that it starts.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "document/jobspec/soft_limit.h"

namespace fq::process {

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
[[nodiscard]] FittedLimits fit_limits(std::span<const document::SoftLimit> wanted);

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

}  // namespace fq::process
