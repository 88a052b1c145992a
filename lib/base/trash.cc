#include "base/trash.h"

#include <cstdio>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

namespace fq {

bool move_to_trash(const std::string& path, const std::string& trash) {
  return std::rename(path.c_str(), (trash + path.substr(path.rfind('/'))).c_str()) == 0;
}

void link_in_trash(const std::string& path, const std::string& trash) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return;
  const std::string name = fmt::format("{}{}.{}", trash, path.substr(path.rfind('/')), info.st_ino);
  static_cast<void>(::link(path.c_str(), name.c_str()));
}

bool empty_trash(const std::string& trash, double pause_s) {
  const auto names = names_in(trash);
  if (!names) return false;
  for (const std::string& name : *names) {
    remove_tree(trash + "/" + name);
    if (pause_s > 0) pause_for(pause_s);
  }
  return !names->empty();
}

}  // namespace fq
