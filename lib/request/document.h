// The documents of a job (RFC 16): `jobspec`, `R`, `J`, `eventlog`, `guest.<name>`, `data.<service>`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "notation/fluid.h"
#include "request/byte_stream.h"

namespace fq::request {

/// Which form of a jobspec, or of R, is meant.
enum class JobspecForm : std::uint8_t {
  current,   ///< with updates applied, without the environment
  original,  ///< as it was submitted, or given
  base,      ///< as it was submitted, without the environment
};

/// Keys of guest documents and of services' data begin with these.
inline constexpr std::string_view kGuestKeys = "guest.";
inline constexpr std::string_view kDataKeys = "data.";

struct DocumentReply {
  std::optional<ByteStream> bytes;  ///< nothing only where it may be missing, and is
};

/// Refused with Error{not_found} when the job, or that document, does not exist.
struct DocumentRequest {
  using Reply = DocumentReply;
  notation::JobId id;
  std::string key;
  JobspecForm form = JobspecForm::current;
  /// Jobs whose shell was killed are repaired before, so that their end is in an event log.
  bool repaired = false;
  bool may_be_missing = false;  ///< of a guest document
};

/// Of a guest document, which may be missing.
[[nodiscard]] inline DocumentRequest guest_document(notation::JobId id, std::string_view name) {
  DocumentRequest request;
  request.id = id;
  request.key = std::string{kGuestKeys}.append(name);
  request.may_be_missing = true;
  return request;
}

struct DocumentKeysReply {
  std::vector<std::string> keys;  ///< of all documents that the job has now, ascending
};

/// Refused with Error{not_found}.
struct DocumentKeysRequest {
  using Reply = DocumentKeysReply;
  notation::JobId id;
};

}  // namespace fq::request
