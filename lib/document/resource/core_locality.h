// Which cores of a node are near which of its GPUs, where hwloc knows. fq is the scheduler that looks at it,
// so it stands in R as RFC 20 provides, under the key that is a scheduler's own:
//
//   "scheduling": {"writer": "fq", "near": {HOST: {GPU: IDSET of cores, …}, …}}

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "document/resource/resource_set.h"
#include "notation/idset.h"

namespace fq::document {

struct CoreLocality {
  using OfGpus = std::map<std::uint32_t, notation::Idset>;  ///< cores by the id of the GPU

  std::map<std::string, OfGpus, std::less<>> hosts;

  /// From a set's `scheduling`: nothing where that is empty or another's. Throws Error{invalid}.
  [[nodiscard]] static CoreLocality parse(std::string_view scheduling);
  /// As `scheduling`; empty where nothing is known.
  [[nodiscard]] std::string encode() const;
  /// Throws Error{invalid} for a core or GPU that a host of the set does not have.
  void check(const ResourceSet& set) const;
};

}  // namespace fq::document
