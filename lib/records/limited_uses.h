// What has limits beside banks and users in them: a quality of service, an association in it, an association
// in a queue. Each that is limited has a record of what is in use; what is not limited has none, and costs
// nothing.
//
//   account/use/   q qos | a qos NUL be32(uid) bank | u queue NUL be32(uid) bank       UseRecord

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "priority/account_limits.h"
#include "priority/use.h"
#include "records/queues.h"
#include "store/transaction.h"

namespace fq::records {

/// Where a job counts. Its user is in no bank where `bank` is empty.
struct CountsIn {
  std::string queue, qos;
  std::uint32_t userid = 0;
  std::string bank;
};

struct LimitedUse {
  std::string key;   ///< of the record of its use
  std::string name;  ///< `QoS 'standby'`, `its user in queue 'debug'`
  priority::AccountLimits limits;
  bool in_queue = false;     ///< else in a quality of service
  bool of_one_user = false;  ///< in one bank, or none
};

/// What limits the loaded configuration has.
class LimitedUses {
 public:
  /// Both outlive this.
  LimitedUses(const store::Reader& reader, Queues& queues) : reader_(&reader), queues_(&queues) {}

  /// Those with limits that a job counts in.
  [[nodiscard]] std::vector<LimitedUse> of(const CountsIn& job);
  /// Whether that which the record of this key is of has limits.
  [[nodiscard]] bool has(std::string_view key);

 private:
  struct OfQos {
    std::string name;
    priority::AccountLimits all, per_association;
  };
  const OfQos& of_qos(const std::string& name);
  const priority::AccountLimits& of_queue(const std::string& name);

  const store::Reader* reader_;
  Queues* queues_;
  std::map<std::string, OfQos> qos_;
  std::map<std::string, priority::AccountLimits> of_queues_;
};

/// What is in use; nothing where there is no record. Throws Error{unavailable} for a damaged one.
[[nodiscard]] std::optional<priority::Use> find_use(const store::Reader& reader, std::string_view key);
void write_use(store::Transaction& transaction, std::string_view key, const priority::Use& use);
/// The keys of all that are there.
[[nodiscard]] std::vector<std::string> use_keys(const store::Reader& reader);

/// Jobs that have not ended, of one user and bank or all, in the queue or quality of service that is given.
struct ActiveFilter {
  std::optional<std::uint32_t> userid;
  std::string bank;                       ///< of that user
  std::optional<std::string> queue, qos;  ///< qos: `normal` for jobs that name none
};
/// Costs what the users have banks, queues and qualities of service; of all users what all have.
[[nodiscard]] std::uint64_t count_active(const store::Reader& reader, const ActiveFilter& filter);

}  // namespace fq::records
