#include "manager/jobs/signed_group.h"

#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/engine/signatures.h"
#include "signature/keys.h"
#include "signature/refused.h"
#include "signature/signed_request.h"

namespace fq::manager {

SignedGroup::SignedGroup(const request::JobGroup& group, const Signatures& signatures, const Session& session)
    : group_(group), form_(group), store_(signatures.store) {
  const std::uint32_t userid = session.caller.uid;
  if (group.J.empty())
    throw error(Kind::permission, "jobs of user {} must be signed: they run as that user", userid);
  try {
    const signature::SignedRequest request =
        signature::verify(group.J, signature::parse_public_keys(read_file(signatures.public_keys)),
                          static_cast<std::int64_t>(std::floor(session.clock->now())));
    signature::require_place(request, signatures.store, read_file(signatures.machine));
    if (request.userid != userid)
      throw error(Kind::permission, "J is signed by user {}, not by {}", request.userid, userid);
    if (request.count != form_.count() || request.payload != form_.payload() || request.root != form_.root())
      throw Error{Kind::permission, "J is not what was signed for these jobs"};
  } catch (const signature::Refused& refused) {
    throw Error{Kind::permission, refused.what()};
  }
}

records::SignedRequest SignedGroup::of(std::size_t index, std::size_t row, std::uint32_t number) const {
  records::SignedRequest request{group_.J, store_, 0, {}, {}};
  if (form_.count() == 0) return request;
  request.index = index;
  request.values = form_.values(row, number);
  request.proof = form_.proof(index);
  return request;
}

}  // namespace fq::manager
