// Guest files of ended jobs that are too large for the database: data/<id>/guest.<name>, and the record of
// them among the job's documents, which says what they must be.
//
//   data.fq.files    {"guest.<name>": {"size": N, "blake2b": HEX}}     and "lost": true where a repair of the
//                                                                      store found the file gone or altered

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meeting/job_files.h"
#include "records/job_documents.h"
#include "store/reader.h"

namespace fq::manager {

/// A guest file as it was recorded.
struct KeptFile {
  std::string name;  ///< without `guest.`
  std::uint64_t size = 0;
  std::string blake2b;  ///< in hexadecimal
  bool lost = false;    ///< given up: nothing is where it was
};

[[nodiscard]] std::string encode_kept_files(const std::vector<KeptFile>& files);
/// Throws Error{invalid} for a text of another form.
[[nodiscard]] std::vector<KeptFile> decode_kept_files(std::string_view text);

/// What the files of such a record measure, but for those that are lost; of a damaged one nothing.
[[nodiscard]] std::uint64_t bytes_of_kept_files(std::string_view text);

/// What is stored of a job: its documents, which were measured, and its files.
[[nodiscard]] std::uint64_t bytes_of(const records::JobDocuments& documents);

/// What is recorded of a job's files.
[[nodiscard]] std::vector<KeptFile> read_kept_files(const store::Reader& reader, notation::JobId id);
[[nodiscard]] std::optional<KeptFile> find_kept_file(const store::Reader& reader, notation::JobId id,
                                                     std::string_view name);

[[nodiscard]] std::string data_path(const meeting::JobFiles& files, notation::JobId id,
                                    std::string_view name);
/// BLAKE2b of bytes that come in pieces.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(Checksum&&) noexcept;
  Checksum& operator=(Checksum&&) noexcept;

  void add(std::string_view bytes);
  /// Of all that was added, in hexadecimal. Nothing may be added after it.
  [[nodiscard]] std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The BLAKE2b of a file's bytes in hexadecimal. Throws Error.
[[nodiscard]] std::string checksum_of_file(const std::string& path);

/// What is wrong with the file by its size alone (`is missing`, `has 5 bytes, not 400000`); nothing when that
/// is right.
[[nodiscard]] std::optional<std::string> fault_of_size(const meeting::JobFiles& files, notation::JobId id,
                                                       const KeptFile& file);
/// The same, of its bytes too (`was altered`). Reads all of it.
[[nodiscard]] std::optional<std::string> fault_of_file(const meeting::JobFiles& files, notation::JobId id,
                                                       const KeptFile& file);

}  // namespace fq::manager
