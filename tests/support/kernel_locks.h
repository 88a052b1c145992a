// File locks as the kernel lists them (proc(5), /proc/locks): looking at them takes none.

#pragma once

#include <chrono>
#include <fstream>
#include <future>
#include <string>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace fq::test {

/// Returns when a thread of this process waits for a lock, or `work` has ended without.
inline void await_waiter(const std::future<void>& work) {
  const std::string self = fmt::format(" {} ", ::getpid());
  for (bool waits = false; !waits;) {
    waits = work.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
      waits = waits || (line.find("->") != std::string::npos && line.find(self) != std::string::npos);
    }
  }
}

/// Whether somebody holds the exclusive lock on the file.
inline bool is_listed_as_locked(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return false;
  const std::string inode =
      fmt::format(" {:02x}:{:02x}:{} ", major(info.st_dev), minor(info.st_dev), info.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    if (line.find(" WRITE ") != std::string::npos && line.find(inode) != std::string::npos &&
        line.find("->") == std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace fq::test
