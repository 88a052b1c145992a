// The documents of all jobs (RFC 16), one job after another: what a job's record is made from.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "notation/fluid.h"
#include "store/reader.h"

namespace fq::records {

struct JobDocuments {
  notation::JobId id;
  std::optional<std::string> jobspec, eventlog, r;
  std::optional<std::string> J;      ///< as stored (records/signed_requests.h)
  std::optional<std::string> files;  ///< data.fq.files (manager/run/guest_data.h)
  std::uint64_t bytes = 0;           ///< of all documents, where they are measured
};

/// Whether the documents that a job wrote are looked at, too, for what they measure.
enum class Measure : std::uint8_t { no, yes };

/// Gives the jobs that have documents, by id. Needs memory for one job. The reader must outlive it.
class JobDocumentCursor {
 public:
  /// Begins at the first job from `from` on. `strange` is told of keys that are no job's, which are passed
  /// over.
  explicit JobDocumentCursor(const store::Reader& reader, notation::JobId from = {},
                             std::function<void(std::string_view key)> strange = {},
                             Measure measure = Measure::no);
  /// The next job; nothing behind the last one.
  [[nodiscard]] std::optional<JobDocuments> next();

 private:
  std::unique_ptr<store::Cursor> at_;
  std::function<void(std::string_view)> strange_;
  Measure measure_;
};

/// The log of a submission that did not come to its end: a `submit` alone. No command of fq leaves one.
[[nodiscard]] bool is_unfinished_submission(std::string_view eventlog);

}  // namespace fq::records
