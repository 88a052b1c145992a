// What of a group of jobs is signed by its user: J of one job has its jobspec, J of many the template, and
// the root of a tree over what each has at its places (signature/signed_request.h).

#pragma once

#include <cstdint>
#include <string>

#include "request/submit.h"
#include "signature/merkle.h"

namespace fq::request {

class SignedForm {
 public:
  /// REQUIRES JobGroup::require_form, and a group that outlives this.
  explicit SignedForm(const JobGroup& group);

  [[nodiscard]] const std::string& payload() const { return payload_; }
  /// How many jobs there are; 0: it is one, whose jobspec the payload is, and has no root, values and proofs.
  [[nodiscard]] std::uint64_t count() const { return tree_.size(); }
  /// Bytes.
  [[nodiscard]] const std::string& root() const { return root_; }

  /// What the copy of a row has at its places.
  [[nodiscard]] std::string values(std::size_t row, std::uint32_t number) const;
  /// That the job at this place of the group has them.
  [[nodiscard]] std::string proof(std::size_t index) const;

 private:
  [[nodiscard]] std::string texts_of(std::size_t row, std::uint32_t number) const;

  const JobGroup& group_;
  std::string payload_;
  signature::MerkleTree tree_;
  std::string root_;
};

}  // namespace fq::request
