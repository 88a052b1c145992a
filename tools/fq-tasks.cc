// fq-tasks: the user's half of a job's shell, in a shared store. Started by fq-imp alone, as the user of the
// job.

#include <cerrno>
#include <cstdio>
#include <exception>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/unique_fd.h"
#include "shell/users_half.h"

namespace {

constexpr int kJobFd = 3;

}  // namespace

int main(int argc, char**) {
  if (argc != 1 || ::fcntl(kJobFd, F_GETFD) < 0) {
    std::fputs("fq-tasks: it is started by fq-imp alone\n", stderr);
    return 2;
  }
  fq::keep_memory_small();
  fq::end_when_out_of_memory("fq-tasks");
  try {
    // No task has any of them.
    for (const int fd : {0, 1, kJobFd}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    fq::shell::run_users_half(fq::UniqueFd{kJobFd}, fq::UniqueFd{0}, fq::UniqueFd{1});
    return 0;
  } catch (const std::exception&) {
    return 1;  // the keeper tells what it was told, and that this ended
  }
}
