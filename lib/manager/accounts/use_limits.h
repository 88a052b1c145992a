// What users and banks may have in use at the same time, while a pass starts jobs. A job that would go beyond
// that waits, and nothing of it is written: `why` asks again.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/resource_set.h"
#include "job/job.h"
#include "priority/account.h"
#include "store/reader.h"

namespace fq::manager {

class UseLimits {
 public:
  /// `reader` outlives this. Without accounts nothing is limited, and nothing else is read.
  explicit UseLimits(const store::Reader& reader) : reader_(&reader) {}

  /// Why the job may not start now, `user 'ada' has 2 running jobs in bank 'physics', at most 2 are allowed`;
  /// nothing: it may. A job that asks for slots alone counts as one node. Those that are asked for later
  /// wait behind one that may not, as far as they need of the same: or small jobs would starve large ones.
  [[nodiscard]] std::optional<std::string> reached(const job::Job& job);
  /// The same were nothing in use: it never may.
  [[nodiscard]] std::optional<std::string> never(const job::Job& job);
  /// The pass gives the job these resources.
  void started(const job::Job& job, const document::ResourceSet& r);

 private:
  // A user in a bank, or a bank, with what is in use.
  struct Holder {
    std::string name;
    priority::AccountLimits limits;
    std::uint64_t running = 0;
    priority::Amounts held{};
    bool job_waits = false;                               ///< for room under the limit on running jobs
    std::array<bool, priority::kResources> waited_for{};  ///< the same of each resource
  };
  using Member = std::pair<std::uint32_t, std::string>;

  [[nodiscard]] const std::vector<Holder*>& holders(const job::Job& job);
  Holder& holder(const std::string& key, const priority::Account& account, std::string name);

  const store::Reader* reader_;
  std::optional<bool> exist_;
  std::map<std::string, Holder> known_;
  std::map<Member, std::vector<Holder*>> ways_;
};

}  // namespace fq::manager
