// The priority of a job at one moment: the one place where a scheme meets what its factors are now. The pass,
// listings, `why` and `fq priority` ask it, so that they show and serve one order.

#pragma once

#include <cstdint>
#include <string_view>

#include "document/jobspec/jobspec.h"
#include "priority/parameters.h"
#include "priority/scheme.h"

namespace fq::priority {

/// Where the factors come from: configuration and inventory, as they are at that moment.
class Facts {
 public:
  virtual ~Facts() = default;
  /// Of a queue by its name; of one that there is not, those of `none`. Valid while this is.
  [[nodiscard]] virtual const Parameters& parameters(std::string_view queue) = 0;
  /// Within [0, 1].
  [[nodiscard]] virtual double qos_factor(std::string_view qos) = 0;
  /// Within [0, 1], of a user's jobs that are charged to that bank.
  [[nodiscard]] virtual double fair_share(std::uint32_t userid, std::string_view bank) = 0;
  [[nodiscard]] virtual const Machine& machine() = 0;
};

/// What a priority looks at of a job, or of the first of a class of jobs. Holds references.
struct Subject {
  std::string_view queue, bank, qos;
  std::uint32_t userid = 0;
  std::uint8_t urgency = 0;
  const document::ResourceCounts* counts = nullptr;
  double waits_since = 0;    ///< seconds since the epoch
  std::uint64_t number = 0;  ///< the job's among all of the store; 0: from before they were numbered
};

/// What a priority is made of. Weights, factors and points are of multifactor only.
struct Explanation {
  Scheme scheme = Scheme::none;
  Factors weights, factors, points;
  std::uint32_t priority = 0;
};

class Evaluator {
 public:
  /// At `now`, seconds since the epoch. `facts` outlives this.
  Evaluator(Facts& facts, double now) : facts_(&facts), now_(now) {}

  [[nodiscard]] std::uint32_t priority(const Subject& subject) { return explain(subject).priority; }
  [[nodiscard]] Explanation explain(const Subject& subject);

 private:
  Facts* facts_;
  double now_;
};

}  // namespace fq::priority
