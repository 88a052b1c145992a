// The bytes of one of a job's documents, a piece at a time, so that memory does not grow with it. A file
// under data/ is compared with what the store remembers of it before the first piece is given, and again as
// it is read: nothing that was cut or altered passes for what the job wrote.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/unique_fd.h"
#include "manager/engine/session.h"
#include "manager/run/guest_data.h"
#include "meeting/job_files.h"
#include "request/byte_stream.h"
#include "store/reader.h"

namespace fq::manager {

class DocumentReader {
 public:
  /// A document that is at hand.
  explicit DocumentReader(std::string text) : text_(std::move(text)) {}
  /// A file that may still grow: what it has now.
  DocumentReader(UniqueFd fd, std::string path);
  /// A guest file under data/. Throws Error{io} when it is missing. One that a purge has removed is missing
  /// as well: to be opened while the state is read that names it (store/rocks/snapshot.h tries that again).
  DocumentReader(const meeting::JobFiles& files, notation::JobId id, KeptFile recorded);

  /// The next piece; empty at the end. Valid until the next call. Throws Error{io} that names the file when
  /// it is not what the store remembers, or cannot be read.
  [[nodiscard]] std::string_view read();
  /// All that is left.
  [[nodiscard]] std::string read_all();

 private:
  void verify();
  [[nodiscard]] std::string_view read_block(std::uint64_t offset);
  [[nodiscard]] Error altered(std::string_view how) const;

  std::string text_;  ///< the whole of a document at hand; else the last piece
  bool given_ = false;
  UniqueFd fd_;
  std::string what_;  ///< the file, for messages
  std::uint64_t at_ = 0, size_ = 0;
  std::optional<KeptFile> recorded_;
  Checksum checksum_;
};

/// A guest document of any job, running or ended, from wherever it is; nothing when there is none. REQUIRES
/// that it is called while a state of the store is read.
[[nodiscard]] std::optional<DocumentReader> open_guest(const store::Reader& reader,
                                                       const meeting::JobFiles& files, notation::JobId id,
                                                       std::string_view name);

/// The bytes for a reply.
[[nodiscard]] request::ByteStream stream_of(DocumentReader document);

}  // namespace fq::manager
