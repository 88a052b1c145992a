#include "process/start/spawn.h"

#include <csignal>

#include <spawn.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::process {

pid_t spawn(const std::string& program, const std::vector<std::string>& arguments, int in, int out, int err) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, in, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out, 1);
  ::posix_spawn_file_actions_adddup2(&actions, err, 2);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  char* no_environment[] = {nullptr};
  pid_t pid = -1;
  const int failure =
      ::posix_spawn(&pid, program.c_str(), &actions, &attributes, words.data(), no_environment);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw system_error("cannot run " + quote(program), failure);
  return pid;
}

}  // namespace fq::process
