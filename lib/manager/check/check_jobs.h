// The first half of the check of a whole store: every job's documents, replayed through job::apply, against
// its record; and what follows from the records, for the second half (manager/check/check_derived.h). One job
// is in memory at a time, and of all of them numbers, so that a million jobs can be checked.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "manager/engine/signatures.h"
#include "manager/run/guest_data.h"
#include "records/keys.h"
#include "sched/pool.h"
#include "store/reader.h"

namespace fq::manager {

/// Told of each thing that does not fit, a line without its end. Must not block: the store is locked.
using Report = std::function<void(std::string finding)>;

/// Does a part of a check; what is too damaged for it is a finding that begins with `what`.
void check_part(const Report& report, std::string_view what, const std::function<void()>& part);

/// The members of a class of pending jobs.
struct ClassMembers {
  std::uint64_t count = 0;
  std::uint64_t head_time = 0;
  notation::JobId head;
};

/// A guest file outside the database.
struct DataFile {
  notation::JobId id;
  KeptFile file;
};

/// What the records say that must be stored.
struct Expected {
  std::uint64_t jobs = 0;
  notation::JobId last_id;
  std::uint64_t index_entries = 0;  ///< that are there
  std::map<std::string, std::uint64_t> counts;
  std::map<records::ClassId, ClassMembers> classes;
  std::unique_ptr<sched::Pool> pool;  ///< null where the inventory cannot be read
  std::vector<DataFile> data;         ///< those that are not lost
};

/// With `signatures`, J of each job is verified, too.
[[nodiscard]] Expected check_jobs(const store::Reader& reader, const Report& report,
                                  const Signatures* signatures = nullptr);

}  // namespace fq::manager
