#include "cgroup.h"

#include <fstream>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "fd.h"

namespace fq::imp {

std::string join_new_cgroup(const std::string& name, pid_t pid) {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line) && !line.starts_with("0::/")) {
  }
  // The second where version 1 has the first.
  for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    struct statfs info {};
    if (line.empty() || ::statfs(root, &info) != 0 || info.f_type != CGROUP2_SUPER_MAGIC) continue;
    std::string path = root + line.substr(3) + "/fq-" + name;
    if (::mkdir(path.c_str(), 0755) != 0) continue;
    const Fd members{::open((path + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)};
    const std::string text = std::to_string(pid);
    if (members.valid() && ::write(members.get(), text.data(), text.size()) > 0) return path;
    ::rmdir(path.c_str());
  }
  return {};
}

}  // namespace fq::imp
