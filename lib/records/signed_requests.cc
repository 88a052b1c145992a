#include "records/signed_requests.h"

#include "base/error.h"
#include "records/keys.h"
#include "signature/fields.h"
#include "signature/refused.h"

namespace fq::records {

using store::Family;

std::optional<SignedRequest> read_signed_request(const store::Reader& reader, notation::JobId id) {
  const auto value = reader.get(Family::kvs, key::signed_request(id));
  if (!value) return std::nullopt;
  return decode_signed_request(*value, id);
}

SignedRequest decode_signed_request(std::string_view value, notation::JobId id) {
  try {
    const std::string_view J = j_of(value);
    if (J.size() == value.size()) throw signature::Refused("there are fields missing");
    const auto fields = signature::decode_fields(value.substr(J.size() + 1), 4);
    if (fields.size() != 4) throw signature::Refused("there are fields missing");
    return SignedRequest{std::string{J}, std::string{fields[0]},
                         signature::parse_number(fields[1], "the index"), std::string{fields[2]},
                         std::string{fields[3]}};
  } catch (const std::exception& failure) {
    throw error(Kind::internal, "J of job {} is damaged: {}", id, failure.what());
  }
}

std::size_t write_signed_request(store::Transaction& transaction, notation::JobId id,
                                 const SignedRequest& request) {
  const std::string value = request.J + '\n' +
                            signature::encode_fields({request.store, fmt::format("{}", request.index),
                                                      request.values, request.proof});
  transaction.put(Family::kvs, key::signed_request(id), value);
  return value.size();
}

std::string_view j_of(std::string_view value) {
  return value.substr(0, value.find('\n'));
}

}  // namespace fq::records
