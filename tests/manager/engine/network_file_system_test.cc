// Which file systems other machines share.

#include "manager/engine/network_file_system.h"

#include <string>

#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include "base/error.h"

namespace fq::manager {
namespace {

TEST(NetworkFileSystem, is_known_by_its_type) {
  // Local ones, a RAM disk and a container's layers are not; FUSE is either.
  std::string names;
  for (const long type :
       {0x6969L,     0x517BL,     0xFF534D42L, 0xFE534D42L, 0x5346414FL, 0x6B414653L, 0x73757245L,
        0x00C36400L, 0x0BD00BD0L, 0x19830326L, 0x47504653L, 0x20030528L, 0xAAD7AAEAL, 0x18031977L,
        0xBEEFDEADL, 0x01161970L, 0x7461636FL, 0x786F4256L, 0xBACBACBCL, 0x7C7C6673L}) {
    names += fmt::format("{} ", network_file_system_of_type(type));
  }
  EXPECT_EQ(names,
            "NFS SMB SMB SMB AFS AFS Coda Ceph Lustre BeeGFS GPFS OrangeFS PanFS WekaFS StorNext GFS2 OCFS2 "
            "vboxsf vmhgfs prl_fs ");
  for (const long type :
       {0xEF53L, 0x58465342L, 0x9123683EL, 0x01021994L, 0x794C7630L, 0x2FC12FC1L, 0x65735546L, 0x01021997L}) {
    EXPECT_EQ(network_file_system_of_type(type), "") << std::hex << type;
  }
  EXPECT_EQ(network_file_system("/proc/self/not/there"), "");
}

TEST(NetworkFileSystem, of_fuse_is_known_by_name_or_by_a_source_on_a_host) {
  // Mounts of another device, and lines that are none, tell nothing.
  const auto of = [](const std::string& type_and_source) {
    return fmt::format("[{}]", network_fuse("22 27 0:21 / /proc rw shared:7 - proc proc rw\n"
                                            "80 27 0:210 / /a rw - fuse.sshfs host:/dir rw\n"
                                            "81 27 0:21\n"
                                            "63 43 0:51 / /b\\040c rw,relatime shared:1 master:2 - " +
                                                type_and_source + " rw,user_id=0\n",
                                            makedev(0, 51)));
  };
  EXPECT_EQ(of("fuse.sshfs ada@host:/dir") + of("fuse.glusterfs server:/volume") + of("fuse.ceph ceph-fuse") +
                of("fuse.s3fs s3fs") + of("fuse https://dav.example/files") + of("fuse.new host:/dir"),
            "[fuse.sshfs][fuse.glusterfs][fuse.ceph][fuse.s3fs][fuse][fuse.new]");
  EXPECT_EQ(of("fuseblk /dev/sda1") + of("fuseblk /dev/disk/by-path/pci-0000:00:1f.2-ata-1") +
                of("fuse.gocryptfs /home/ada/.crypt") + of("fuse.fuse-overlayfs fuse-overlayfs") +
                of("fuse none") + of("virtiofs rootfs") + of("fuse.mergerfs disk1:disk2") +
                of("fuse.gocryptfs /home/ada/a:b"),
            "[][][][][][][][]");
  EXPECT_EQ(network_fuse("", makedev(0, 51)), "");
}

}  // namespace
}  // namespace fq::manager
