// The writing end of a job's standard input: appends to the guest input log (RFC 24), which the shell
// follows.

#pragma once

#include <string_view>

#include "base/unique_fd.h"
#include "document/event/output.h"
#include "meeting/job_files.h"
#include "notation/idset.h"

namespace fq::meeting {

class InputWriter {
 public:
  /// For the tasks in `ranks`; the streams of those in `closed` end at once. REQUIRES that the job's guest
  /// directory is there. `now` is in seconds since the epoch.
  InputWriter(const JobFiles& files, notation::JobId id, const notation::Idset& ranks,
              const notation::Idset& closed, double now);

  /// Appends bytes; nothing for an ended job.
  void write(std::string_view bytes, double now);
  /// Appends the end of the stream.
  void close(double now);

 private:
  void append(const std::vector<document::Event>& events);

  UniqueFd log_;
  document::OutputEncoder encoder_;
};

}  // namespace fq::meeting
