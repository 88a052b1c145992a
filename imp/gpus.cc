#include "gpus.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "fd.h"

namespace fq::imp {
namespace {

constexpr char kNvidia[] = "/proc/driver/nvidia/gpus";
constexpr char kDrm[] = "/sys/class/drm";

// Device files by place on the bus (`0000:01:00.0`).
using Gpus = std::map<std::string, std::vector<std::string>>;

void for_each_name(const char* directory, const std::function<void(const std::string&)>& f) {
  DIR* entries = ::opendir(directory);
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries)) {
    if (entry->d_name[0] != '.') f(entry->d_name);
  }
  ::closedir(entries);
}

std::string last_of_link(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
  const std::string text(target, size < 0 ? 0 : static_cast<std::size_t>(size));
  return text.substr(text.rfind('/') + 1);
}

// The number of /dev/nvidiaN, as the driver tells it.
std::string minor_of(const std::string& place) {
  const Fd file{::open((kNvidia + ("/" + place) + "/information").c_str(), O_RDONLY | O_CLOEXEC)};
  std::string text(4096, '\0');
  const ssize_t size = file.valid() ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  constexpr std::string_view kLabel = "Device Minor:";
  const std::size_t label = text.find(kLabel);
  if (label == std::string::npos) return {};
  const std::size_t begin = std::min(text.find_first_not_of(" \t", label + kLabel.size()), text.size());
  return text.substr(begin, text.find_first_not_of("0123456789", begin) - begin);
}

// Those of the vendor's driver that counts: where there is one for computing, others only draw.
Gpus gpus_here() {
  Gpus gpus;
  for_each_name(kNvidia, [&](const std::string& place) {
    const std::string minor = minor_of(place);
    gpus[place] = {};
    if (!minor.empty()) gpus[place].push_back("/dev/nvidia" + minor);
  });
  const bool nvidia = !gpus.empty();
  for_each_name(kDrm, [&](const std::string& name) {
    // `card0-DP-1` is a plug of one.
    const bool is_card = name.starts_with("card") && name.find('-') == std::string::npos;
    if (!is_card && !name.starts_with("renderD")) return;
    const std::string device = kDrm + ("/" + name) + "/device";
    const std::string place = last_of_link(device);
    if (nvidia ? !gpus.contains(place) : last_of_link(device + "/driver") != "amdgpu") return;
    gpus[place].push_back("/dev/dri/" + name);
  });
  return gpus;
}

// `f` of each number of an idset.
void for_each_id(std::string_view idset, const std::function<void(unsigned long)>& f) {
  const std::string text{idset};
  const char* at = text.c_str();
  while (*at >= '0' && *at <= '9') {
    char* end = nullptr;
    const unsigned long first = std::strtoul(at, &end, 10);
    const unsigned long last = *end == '-' ? std::strtoul(end + 1, &end, 10) : first;
    constexpr unsigned long kMost = 1024;
    for (unsigned long id = first; id <= last && id - first <= kMost; ++id) f(id);
    at = *end == ',' ? end + 1 : end;
  }
}

}  // namespace

GpuFiles gpus_beside(std::string_view R) {
  const Gpus gpus = gpus_here();
  std::vector<bool> given(gpus.size(), false);
  GpuFiles files;
  bool known = true;
  for (std::size_t begin = 0; begin < R.size();) {
    const std::size_t end = std::min(R.find('\n', begin), R.size());
    const std::string_view line = R.substr(begin, end - begin);
    for_each_id(line.substr(line.rfind(' ') + 1), [&](unsigned long id) {
      known = known && id < given.size();
      if (known) given[id] = true;
    });
    begin = end + 1;
  }
  if (!known) return files;
  std::size_t id = 0;
  for (const auto& [place, devices] : gpus) {
    if (!given[id++]) {
      files.hidden.insert(files.hidden.end(), devices.begin(), devices.end());
    } else {
      files.shown += (files.shown.empty() ? "" : ",") + std::to_string(id - 1);
    }
  }
  if (files.hidden.empty()) files.shown.clear();
  return files;
}

bool hide(const std::vector<std::string>& files) {
  // A file that nobody but root may open.
  constexpr char kNothing[] = FQ_RUNDIR "/nothing";
  if (files.empty()) return true;
  const Fd nothing{::open(kNothing, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0)};
  if (!nothing.valid()) return false;
  return std::all_of(files.begin(), files.end(), [&](const std::string& file) {
    struct stat info {};
    return ::lstat(file.c_str(), &info) != 0 || !S_ISCHR(info.st_mode) ||
           ::mount(kNothing, file.c_str(), nullptr, MS_BIND, nullptr) == 0;
  });
}

}  // namespace fq::imp
