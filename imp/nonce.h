// That no request runs more often than it says: root's note of each job that began, outside the store and its
// backups. It is kept until the request has expired.

#pragma once

#include <cstdint>
#include <string>

#include "fd.h"
#include "signature/signed_request.h"

namespace fq::imp {

class Nonce {
 public:
  /// Of the job at `index` of the request; locked while this lives.
  Nonce(const signature::SignedRequest& request, std::uint64_t index);

  /// Notes that this attempt begins; it is on the disk when this returns. Throws Refused where attempts
  /// before have run, or began, as often as the request allows.
  void begin(std::uint32_t attempt, const signature::SignedRequest& request);
  /// Notes that nothing of the job has run, after all.
  void give_back();
  /// Lets go of it: something of the job runs.
  void close() { file_.reset(); }

 private:
  void write(char state);

  Fd directory_;
  Fd file_;
  std::uint32_t attempt_ = 0;
  std::uint32_t starts_ = 0;  ///< since the last run
  std::uint32_t reruns_ = 0;
};

/// Removes some of the notes whose requests have long expired.
void forget_expired();

}  // namespace fq::imp
