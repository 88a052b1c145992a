// The end of a job, as its shell reports it: guest files into the store, then `finish`, `free`, `clean`.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/eventlog.h"
#include "exec/shell.h"
#include "manager/change.h"

namespace fq::manager {

/// Guest files up to this size become values of the `kvs` family; larger ones become files under data/.
inline constexpr std::size_t kMaxImportBytes = 256U << 10U;

/// One file of a job's guest namespace, ready to be linked into the primary one (RFC 16).
struct GuestFile {
  std::string name;   ///< key under `guest.`: `exec.eventlog`, `output`
  std::string bytes;  ///< empty when `size` exceeds kMaxImportBytes: the file then lies under data/
  std::uint64_t size = 0;
  std::string checksum;  ///< BLAKE2b-256 in hex, of files under data/
};

struct FinishRequest {
  JobId id;
  std::uint32_t attempt = 1;
  std::int32_t status = 0;                  ///< RFC 21 finish status
  std::vector<document::Event> exceptions;  ///< to post before it
  double t_finish = 0;
  std::vector<GuestFile> guest;
};

/// Whether none of the job's guest files is too large to be imported.
[[nodiscard]] bool guest_is_small(const exec::JobFiles& files, JobId id);
/// Reads a finished job's guest files, moving and syncing the large ones; needs no lock. Done again after a
/// crash, it finds what it moved.
[[nodiscard]] std::vector<GuestFile> collect_guest(const exec::JobFiles& files, JobId id);
[[nodiscard]] FinishRequest collect_finish(const exec::JobFiles& files, JobId id, std::uint32_t attempt,
                                           const exec::ShellOutcome& outcome);

/// Writes guest files into the transaction.
void import_guest(Change& change, const std::vector<GuestFile>& guest, JobId id);
/// Ends the job. A request of an attempt that is not the current one, or for a job that has finished, changes
/// nothing.
void finish_job(Change& change, const FinishRequest& request);

/// A guest file of any job, running or ended, from wherever it is; nothing when there is none.
[[nodiscard]] std::optional<std::string> read_guest(const store::Reader& reader, const exec::JobFiles& files,
                                                    JobId id, std::string_view name);

}  // namespace fq::manager
