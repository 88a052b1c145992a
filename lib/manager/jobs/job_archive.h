// A file of jobs, for what is removed from a store: JSON lines, one job a line.
//
//   {"id":1234,"documents":{"eventlog":"…","guest.output":"…","jobspec":"…","R":"…"}}
//
// `id` is an integer (RFC 19); the documents have the names of RFC 16 and come in the order of these. Each is
// its bytes as a string or, where they are not UTF-8, {"base64": "…"}. schema/job-archive.json has the form.

#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "manager/run/guest_data.h"
#include "meeting/job_files.h"
#include "store/reader.h"

namespace fq::manager {

/// What the database has of a job.
struct ArchivedJob {
  notation::JobId id;
  std::string documents;       ///< members of the object of them
  std::vector<KeptFile> kept;  ///< those beside the database
};
[[nodiscard]] ArchivedJob read_archived(const store::Reader& reader, notation::JobId id);

class JobArchive {
 public:
  /// Makes the file. Throws Error{refused} where there is one of that name, Error.
  explicit JobArchive(const std::string& path);
  /// Removes the file unless it was synced.
  ~JobArchive();
  JobArchive(const JobArchive&) = delete;
  JobArchive& operator=(const JobArchive&) = delete;

  /// Adds a job with all its documents, those in files included. Throws Error{unavailable} where one of these
  /// is not what was recorded.
  void add(const ArchivedJob& job, const meeting::JobFiles& files);
  /// The same, of what is in the database.
  void add_documents(const ArchivedJob& job);
  /// What was added is durable, the name of the file too.
  void sync();

 private:
  void begin(const ArchivedJob& job);
  void end();
  void add_file(const std::string& path);
  /// Writes the text when it has become long, or whatever there is.
  void relieve(bool all = false);

  std::string path_;
  UniqueFd fd_;
  std::string text_;  ///< not yet written
  bool synced_ = false;
};

}  // namespace fq::manager
