// A group of jobs whose user has signed it: verified before any of them is stored.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "manager/engine/session.h"
#include "records/signed_requests.h"
#include "request/signed_form.h"

namespace fq::manager {

class SignedGroup {
 public:
  /// Throws Error{permission} unless J of the group was signed for these jobs, this store and machine by the
  /// caller, and holds. REQUIRES JobGroup::require_form, and a group that outlives this.
  SignedGroup(const request::JobGroup& group, const Signatures& signatures, const Session& session);

  /// What is stored of the job at this place of the group.
  [[nodiscard]] records::SignedRequest of(std::size_t index, std::size_t row, std::uint32_t number) const;

 private:
  const request::JobGroup& group_;
  request::SignedForm form_;
  std::string store_;
};

}  // namespace fq::manager
