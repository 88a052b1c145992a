#include "record.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "fd.h"
#include "root_file.h"

namespace fq::imp {
namespace {

constexpr std::uint64_t kMagic = 0x317265636f727166;

std::string read_proc(const std::string& path) {
  std::string text(4096, '\0');
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  const ssize_t size = file.valid() ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return text;
}

std::uint64_t start_of(pid_t pid) {
  const std::string stat = read_proc("/proc/" + std::to_string(pid) + "/stat");
  // After the name, which may have blanks and brackets in it, the third field comes first; this is the 22nd.
  std::istringstream fields(stat.substr(std::min(stat.rfind(')'), stat.size() - 1) + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  return std::strtoull(field.c_str(), nullptr, 10);
}

std::string boot_id() {
  return read_proc("/proc/sys/kernel/random/boot_id").substr(0, 36);
}

}  // namespace

Process Process::self() {
  return {::getpid(), start_of(::getpid())};
}

Fd Process::open() const {
  Fd pidfd{pid == 0 ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  if (pidfd.valid() && (start_of(pid) != start || has_ended(pidfd, 0))) pidfd.reset();
  return pidfd;
}

bool has_ended(const Fd& pidfd, int milliseconds) {
  pollfd waited{pidfd.get(), POLLIN, 0};
  return ::poll(&waited, 1, milliseconds) > 0;
}

Record::Record(const std::string& store, std::uint64_t number, std::uint64_t id)
    : name_(store + "." + (number == 0 ? "" : std::to_string(number) + ".") + std::to_string(id)),
      directory_(open_root_directory(FQ_RUNDIR)),
      file_(open_locked(directory_.get(), name_)) {
  read();
}

void Record::read() {
  Content content;
  if (::pread(file_.get(), &content, sizeof content, 0) != sizeof content) return;
  if (content.magic != kMagic || boot_id() != content.boot) return;
  content_ = content;
}

void Record::write() {
  content_.magic = kMagic;
  boot_id().copy(content_.boot, sizeof content_.boot - 1);
  if (::pwrite(file_.get(), &content_, sizeof content_, 0) != sizeof content_)
    throw Failed("cannot record the job");
}

void Record::begin(std::uint32_t attempt, uid_t user, gid_t group) {
  remove_cgroup();
  content_ = {};
  content_.attempt = attempt;
  content_.user = user;
  content_.group = group;
  content_.imp = Process::self();
  write();
  file_.reset();
}

void Record::set_first(pid_t pid, const std::string& cgroup) {
  file_ = open_locked(directory_.get(), name_);
  content_ = {};
  read();
  if (content_.imp.pid != ::getpid() || cgroup.size() >= sizeof content_.cgroup)
    throw Failed("the job was ended before it began", ECANCELED);
  content_.first = {pid, start_of(pid)};
  cgroup.copy(content_.cgroup, sizeof content_.cgroup - 1);
  write();
  file_.reset();
}

void Record::close(std::uint32_t attempt) {
  remove_cgroup();
  content_ = {};
  content_.attempt = attempt;
  write();
}

void Record::remove_cgroup() {
  if (content_.cgroup[0] != '\0') ::rmdir(content_.cgroup);
}

void Record::remove() {
  remove_cgroup();
  ::unlinkat(directory_.get(), name_.c_str(), 0);
}

}  // namespace fq::imp
