// Whether J of each job of a shared store is what its user signed for it (RFC 15).

#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "job/job.h"
#include "manager/engine/session.h"
#include "records/job_documents.h"
#include "signature/keys.h"
#include "signature/signed_request.h"

namespace fq::manager {

class SignatureCheck {
 public:
  /// Of a store of this owner. Without signatures, in a store of one's own, nothing is looked at. Throws
  /// Error where the keys cannot be read.
  SignatureCheck(const Signatures* signatures, std::uint32_t owner);

  /// What is wrong with J of the job; nothing where all is right. One that has ended needs none any more, and
  /// may be signed by a key that has been forgotten.
  [[nodiscard]] std::optional<std::string> fault_of(const job::Job& job,
                                                    const records::JobDocuments& documents);

 private:
  void require_signed(const job::Job& job, const records::JobDocuments& documents);

  const Signatures* signatures_;
  std::uint32_t owner_;
  std::vector<signature::PublicKey> keys_;
  std::string machine_;
  std::string last_J_;  ///< what was verified last: many jobs in a row may have the same
  signature::SignedRequest last_;
};

}  // namespace fq::manager
