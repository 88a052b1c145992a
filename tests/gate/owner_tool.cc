// What the tests that run through the gate do as the store's owner: a program of root's, setuid, by the name
// of the command. On that store it runs it as root, `fq-init` and `fq-fsck` as user fq, and of `fq-job` only
// what is the owner's alone; on others all as who calls. `root COMMAND...` runs as it is said. Only in the
// tests' own world.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

constexpr std::string_view kStore = "/var/lib/fq";

bool is_of_the_store(char** argv) {
  for (char** word = argv; *word != nullptr; ++word) {
    if (*word == std::string_view{"--store"}) return word[1] == kStore;
  }
  const char* store = std::getenv("FQ_STORE");
  return store == nullptr || store == kStore;
}

bool is_the_owners(std::string_view name, std::string_view verb) {
  return name != "fq-job" || verb == "purge" || verb == "data";
}

int main(int, char** argv) {
  const std::string path = argv[0], name = path.substr(path.rfind('/') + 1);
  gid_t gid = 0;
  uid_t uid = 0;
  if (name != "root" && (!is_of_the_store(argv) || !is_the_owners(name, argv[1] != nullptr ? argv[1] : ""))) {
    gid = ::getgid();
    uid = ::getuid();
  } else if (name == "fq-init" || name == "fq-fsck") {
    const passwd* user = ::getpwnam("fq");
    if (user == nullptr) return 127;
    uid = user->pw_uid;
    gid = user->pw_gid;
  }
  if (::setgroups(0, nullptr) != 0 || ::setresgid(gid, gid, gid) != 0 || ::setresuid(uid, uid, uid) != 0)
    return 127;
  if (name == "root") {
    ::execvp(argv[1], argv + 1);
  } else {
    const std::string program = "/usr/libexec/fq/" + name;
    argv[0] = const_cast<char*>(program.c_str());
    ::execv(program.c_str(), argv);
  }
  std::perror(name.c_str());
  return 127;
}
