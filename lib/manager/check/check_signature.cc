#include "manager/check/check_signature.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/engine/signatures.h"
#include "records/signed_requests.h"
#include "signature/refused.h"

namespace fq::manager {

SignatureCheck::SignatureCheck(const Signatures* signatures, std::uint32_t owner)
    : signatures_(signatures), owner_(owner) {
  if (signatures == nullptr) return;
  machine_ = read_file(signatures->machine);
  try {
    keys_ = signature::parse_public_keys(read_file(signatures->public_keys));
  } catch (const signature::Refused& refused) {
    throw error(Kind::invalid, "{}: {}", signatures->public_keys, refused.what());
  }
}

std::optional<std::string> SignatureCheck::fault_of(const job::Job& job,
                                                    const records::JobDocuments& documents) {
  if (signatures_ == nullptr) return std::nullopt;
  if (!documents.J) {
    if (job.userid == owner_ || !job::is_active(job.state)) return std::nullopt;
    return "it has no J: nothing says that its user wants it";
  }
  if (job.userid == owner_) return "it has a J, and runs as who the store belongs to";
  try {
    require_signed(job, documents);
  } catch (const signature::UnknownKey& unknown) {
    if (job::is_active(job.state)) return unknown.what();
  } catch (const signature::Refused& refused) {
    return refused.what();
  } catch (const Error& failure) {
    return failure.what();
  }
  return std::nullopt;
}

void SignatureCheck::require_signed(const job::Job& job, const records::JobDocuments& documents) {
  const records::SignedRequest stored = records::decode_signed_request(*documents.J, job.id);
  if (stored.J != last_J_) {
    last_J_.clear();
    last_ = signature::verify_signature(stored.J, keys_);
    last_J_ = stored.J;
  }
  signature::require_place(last_, signatures_->store, machine_);
  if (stored.store != last_.store)
    throw error(Kind::invalid, "J is for the store {}, not for {}", quote(last_.store), quote(stored.store));
  if (last_.userid != job.userid)
    throw error(Kind::invalid, "J is signed by user {}, and the job is user {}'s", last_.userid, job.userid);
  if (signature::jobspec_of(last_, stored.index, stored.values, stored.proof) !=
      documents.jobspec.value_or(""))
    throw Error{Kind::invalid, "J was not signed for its jobspec"};
}

}  // namespace fq::manager
