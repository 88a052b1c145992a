// What users signed of their jobs, where these run as them (RFC 16 `J`, RFC 15). A value is J; then a line
// feed and, as signature/fields.h has it, the store's name, the job's index, its values and its proof.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "notation/fluid.h"
#include "store/reader.h"
#include "store/transaction.h"

namespace fq::records {

struct SignedRequest {
  std::string J;
  std::string store;        ///< by which name it was signed for this store
  std::uint64_t index = 0;  ///< of a job of many; else 0, and no values and no proof
  std::string values;       ///< bytes, as is the proof (signature/merkle.h)
  std::string proof;

  friend bool operator==(const SignedRequest&, const SignedRequest&) = default;
};

/// Nothing of a job that runs as whom the store belongs to.
[[nodiscard]] std::optional<SignedRequest> read_signed_request(const store::Reader& reader,
                                                               notation::JobId id);
/// The value of a job. Throws Error{internal} for one of another form.
[[nodiscard]] SignedRequest decode_signed_request(std::string_view value, notation::JobId id);
/// Returns how many bytes that are.
std::size_t write_signed_request(store::Transaction& transaction, notation::JobId id,
                                 const SignedRequest& request);

/// J alone, of such a value.
[[nodiscard]] std::string_view j_of(std::string_view value);

}  // namespace fq::records
