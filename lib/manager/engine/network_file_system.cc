#include "manager/engine/network_file_system.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <vector>

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace fq::manager {
namespace {

struct Type {
  std::uint32_t magic;
  std::string_view name;
};

// By name where <linux/magic.h> has it.
constexpr std::array kTypes{
    Type{NFS_SUPER_MAGIC, "NFS"},
    Type{SMB_SUPER_MAGIC, "SMB"},
    Type{CIFS_SUPER_MAGIC, "SMB"},
    Type{SMB2_SUPER_MAGIC, "SMB"},
    Type{AFS_SUPER_MAGIC, "AFS"},
    Type{AFS_FS_MAGIC, "AFS"},
    Type{CODA_SUPER_MAGIC, "Coda"},
    Type{CEPH_SUPER_MAGIC, "Ceph"},
    Type{0x0BD00BD0, "Lustre"},
    Type{0x19830326, "BeeGFS"},
    Type{0x47504653, "GPFS"},  // IBM Storage Scale
    Type{0x20030528, "OrangeFS"},
    Type{0xAAD7AAEA, "PanFS"},
    Type{0x18031977, "WekaFS"},
    Type{0xBEEFDEAD, "StorNext"},
    // Of a cluster, whose machines have the disk in common.
    Type{0x01161970, "GFS2"},
    Type{OCFS2_SUPER_MAGIC, "OCFS2"},
    // Of the host of a virtual machine, which are never its root. 9p and virtiofs may be: sandboxes and small
    // virtual machines have nothing else.
    Type{0x786F4256, "vboxsf"},
    Type{0xBACBACBC, "vmhgfs"},
    Type{0x7C7C6673, "prl_fs"},
};

// As /proc/self/mountinfo names them.
constexpr auto kFuseTypes = std::to_array<std::string_view>(
    {"fuse.sshfs",    "fuse.glusterfs",  "fuse.ceph",      "fuse.ceph-fuse",  "fuse.mfs",
     "fuse.moosefs",  "fuse.lizardfs",   "fuse.saunafs",   "fuse.juicefs",    "fuse.seaweedfs",
     "fuse.xtreemfs", "fuse.smbnetfs",   "fuse.curlftpfs", "fuse.gvfsd-fuse", "fuse.rclone",
     "fuse.s3fs",     "fuse.goofys",     "fuse.gcsfuse",   "fuse.blobfuse",   "fuse.blobfuse2",
     "fuse.grpcfuse", "fuse.vmhgfs-fuse"});
// Whose source may have a colon and no host: a disk's name, joined directories.
constexpr auto kLocalFuseTypes = std::to_array<std::string_view>(
    {"fuseblk", "fuse.mergerfs", "fuse.mhddfs", "fuse.unionfs", "fuse.unionfs-fuse"});

}  // namespace

std::string_view network_file_system_of_type(long type) {
  const auto* const found = std::find_if(kTypes.begin(), kTypes.end(), [&](const Type& known) {
    return known.magic == static_cast<std::uint32_t>(type);
  });
  return found == kTypes.end() ? std::string_view{} : found->name;
}

std::string_view network_fuse(std::string_view mounts, dev_t device) {
  // ID PARENT MAJOR:MINOR ROOT PLACE OPTIONS [FIELD...] - TYPE SOURCE OPTIONS
  const std::string number = fmt::format("{}:{}", major(device), minor(device));
  for (const std::string_view line : split(mounts, '\n')) {
    const std::vector<std::string_view> fields = split(line, ' ');
    const auto separator = std::find(fields.begin(), fields.end(), "-");
    if (fields.end() - separator < 3 || fields[2] != number) continue;
    const std::string_view type = separator[1];
    const std::string_view source = separator[2];
    if (std::find(kFuseTypes.begin(), kFuseTypes.end(), type) != kFuseTypes.end()) return type;
    const bool local =
        std::find(kLocalFuseTypes.begin(), kLocalFuseTypes.end(), type) != kLocalFuseTypes.end();
    const bool of_a_host = !source.starts_with('/') && source.find(':') != std::string_view::npos;
    return !local && of_a_host ? type : std::string_view{};
  }
  return {};
}

std::string network_file_system(const std::string& path) {
  struct statfs info {};
  // What is still to be made will lie where the nearest directory above it does.
  std::filesystem::path place = std::filesystem::absolute(path);
  while (::statfs(place.c_str(), &info) != 0) {
    if (errno != ENOENT || !place.has_relative_path()) return {};
    place = place.parent_path();
  }
  if (info.f_type != FUSE_SUPER_MAGIC) return std::string{network_file_system_of_type(info.f_type)};
  struct stat directory {};
  if (::stat(place.c_str(), &directory) != 0) return {};
  const std::string mounts = read_file_if_exists("/proc/self/mountinfo").value_or("");
  return std::string{network_fuse(mounts, directory.st_dev)};
}

}  // namespace fq::manager
