// File systems that other machines share: network and cluster file systems, and shared folders of a virtual
// machine's host (but for 9p and virtiofs, which may be all that a machine has). None may have a store,
// whether their locks reach other machines or not:
//
// - a lock says that a process lives; one that is this machine's alone lets two machines write at once, one
//   that is everybody's may be lost with a server, or outlive its process until that server has noticed;
// - machines started from one image may have the same id, so that the store's own check (require_own_store)
//   takes one for the other, and ends its jobs: their processes cannot be seen;
// - a change is told (inotify) only where it was made;
// - a file that is deleted while it is open, and a rename over one, are imitated by some of them.
//
// A cluster file system of which this machine is the only user (GFS2 with lock_nolock) is not told from
// others.

#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

namespace fq::manager {

/// The name of the network file system that `path` lies on, or will once it is made; empty where it lies on
/// none or that cannot be known.
[[nodiscard]] std::string network_file_system(const std::string& path);

/// The name of the one that has this type in statfs(2); empty for others, and for FUSE.
[[nodiscard]] std::string_view network_file_system_of_type(long type);

/// The type of the FUSE file system on `device` in `mounts`, the text of /proc/self/mountinfo (proc(5)),
/// where it gets its files from other machines: it is known for that, or its source is one of a host
/// (`HOST:DIRECTORY`, `https://…`). Empty for others: encrypting, joining, those of a disk.
[[nodiscard]] std::string_view network_fuse(std::string_view mounts, dev_t device);

}  // namespace fq::manager
