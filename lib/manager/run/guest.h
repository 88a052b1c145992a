// The guest files of a job whose processes are gone, on their way into the store (RFC 16): small ones become
// values of the `kvs` family, larger ones files under data/ of which the store remembers size and checksum.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "document/config/config_perilog.h"
#include "manager/core/change.h"
#include "meeting/job_files.h"

namespace fq::manager {

/// Guest files up to this size become values of the `kvs` family; larger ones become files under data/. So do
/// those of a job's own (meeting/own_guest.h) that would come on top of so much in all.
inline constexpr std::size_t kMaxImportBytes = 256U << 10U;

/// One file of a job's guest namespace, ready to be linked into the primary one (RFC 16).
struct GuestFile {
  std::string name;   ///< key under `guest.`: `exec.eventlog`, `output`
  std::string bytes;  ///< empty when there is a checksum: the file then lies under data/
  std::uint64_t size = 0;
  std::string checksum;  ///< BLAKE2b-256 in hex, of files under data/
};

struct CollectedGuest {
  std::vector<GuestFile> files;
  /// What is not kept of the job's own, where that is known only now; empty: nothing.
  std::string left_out;
};

/// Type of the exception (RFC 21) that tells what is left out; it does not end the job.
inline constexpr std::string_view kGuestException = "guest";

/// Whether all of the job's guest files are to be imported.
[[nodiscard]] bool guest_is_small(const meeting::JobFiles& files, JobId id);
/// Reads a finished job's guest files, moving and syncing the large ones; needs no lock. Done again after a
/// crash, it finds what it moved. Of the job's own files one that cannot be copied is left out: it has
/// another name elsewhere. Throws Error for what else cannot be moved; nothing is lost then.
[[nodiscard]] CollectedGuest collect_guest(const meeting::JobFiles& files, JobId id);
/// Writes guest files into the transaction, and posts what is left out as of `time`.
void import_guest(Change& change, const CollectedGuest& guest, JobId id, double time);
/// Of a run that is begun anew, of which nothing else is kept: what its prolog, or its epilog, wrote, with
/// the number of the job's attempt at the end of the name.
void import_perilog_output(Change& change, const CollectedGuest& guest, JobId id, document::PerilogKind kind);

/// A guest document of a running job and its path: its file in the guest directory, or the one that the job's
/// end is about to make of it. No descriptor where there is none.
struct LiveGuest {
  UniqueFd fd;
  std::string path;
};
[[nodiscard]] LiveGuest open_live_guest(const meeting::JobFiles& files, JobId id, std::string_view name);
/// The names of the guest documents that a running job has now.
[[nodiscard]] std::vector<std::string> live_guest_names(const meeting::JobFiles& files, JobId id);

}  // namespace fq::manager
