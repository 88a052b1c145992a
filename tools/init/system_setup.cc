#include "init/system_setup.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <pwd.h>
#include <sodium.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/engine/store_check.h"
#include "process/start/child_channel.h"
#include "process/start/find_program.h"
#include "signature/keys.h"
#include "signature/refused.h"
#include "signature/signed_request.h"
#include "system_files_generated.h"

namespace fq::tools::system_setup {
namespace {

constexpr std::string_view kConfigurationDirectory = FQ_SYSCONFDIR;
constexpr std::string_view kPrograms = FQ_LIBEXEC;
constexpr std::array<std::string_view, 2> kSetuid{"fq-gate", "fq-imp"};
constexpr std::uint64_t kLeastPerson = 1000;  // of people's numbers, where login.defs does not say

std::string line_of(std::string_view what, std::string_view words) {
  return fmt::format("{:<10}{}", what, words);
}

struct stat status_of(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) throw system_error("cannot look at " + quote(path), errno);
  return status;
}

bool is_roots_alone(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error("cannot look at " + quote(path), errno);
  return status.st_uid == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// With all directories above it.
void require_roots(const std::string& path) {
  for (std::filesystem::path each = std::filesystem::canonical(path);; each = each.parent_path()) {
    if (!is_roots_alone(each.string()))
      throw Error{Kind::refused, fmt::format("{} can be changed by others than root", quote(each.string())),
                  "what runs with root's rights must be root's alone"};
    if (each == each.root_path()) return;
  }
}

// Runs a program of the system's and waits for it; its last complaint is what is thrown.
void run_program(const std::vector<std::string>& command) {
  constexpr double kPatience_s = 120;
  process::ChildChannel child(command);
  child.close_input();
  while (child.receive_line(kPatience_s)) {
  }
  if (const std::string end = child.how_it_ended(kPatience_s); !end.empty()) {
    const std::string complaint = child.last_complaint();
    throw error(Kind::unavailable, "{}: {}", command.front(), complaint.empty() ? end : complaint);
  }
}

bool succeeds(const std::vector<std::string>& command) {
  try {
    run_program(command);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::uint64_t least_person() {
  const std::string text = read_file_if_exists("/etc/login.defs").value_or("");
  for (std::string_view line : split(text, '\n')) {
    constexpr std::string_view kName = "UID_MIN";
    if (!line.starts_with(kName)) continue;
    if (const auto number = parse_u64(trim(line.substr(kName.size())))) return *number;
  }
  return kLeastPerson;
}

// Where a package may have put a file, and where this does.
Line make_file(std::string_view what, const std::string& path, const std::vector<std::string>& others,
               std::string_view text) {
  if (exists(path) || std::any_of(others.begin(), others.end(), exists)) return {};
  constexpr mode_t kReadable = 0644;
  replace_file(path, text, kReadable);
  return line_of(what, path);
}

bool systemd_runs() {
  return exists("/run/systemd/system");
}

}  // namespace

const std::string& store_user() {
  static const std::string kUser = FQ_USER;
  return kUser;
}

void require_root_and_installation() {
  if (::geteuid() != 0 || ::getuid() != 0)
    throw Error{Kind::permission, "only root can set up a queue that all users of this machine share",
                "run fq init --system as root; fq init makes a store of your own"};
  for (const std::string_view name : kSetuid) {
    const std::string found = process::find_program(name), wanted = fmt::format("{}/{}", kPrograms, name);
    if (found != wanted)
      throw Error{Kind::refused, fmt::format("this fq is not installed: {} is {}", name, quote(found)),
                  fmt::format("it must be {}: cmake --install puts it there", wanted)};
  }
  require_roots("/proc/self/exe");
  const std::string directory{kPrograms};
  require_roots(directory);
  for (const std::string& name : names_in(directory).value_or(std::vector<std::string>{}))
    require_roots(fmt::format("{}/{}", directory, name));
  struct statvfs mounted {};
  if (::statvfs(directory.c_str(), &mounted) == 0 && (mounted.f_flag & ST_NOSUID) != 0)
    throw error(Kind::refused, "{} is on a file system that is mounted with nosuid", quote(directory));
  // Programs that make users are not everywhere on root's PATH.
  const char* path = std::getenv("PATH");
  ::setenv("PATH", fmt::format("{}:/usr/sbin:/sbin", path != nullptr ? path : "/usr/bin:/bin").c_str(), 1);
}

Line make_user() {
  if (const passwd* entry = ::getpwnam(FQ_USER); entry != nullptr) {
    if (entry->pw_uid != 0 && entry->pw_uid < least_person()) return {};
    throw Error{Kind::refused, fmt::format("user '" FQ_USER "' has number {}", entry->pw_uid),
                "the store must be of a user of the system's own"};
  }
  run_program({"useradd", "--system", "--user-group", "--home-dir", "/nonexistent", "--no-create-home",
               "--shell", "/usr/sbin/nologin", "--comment", "shared batch queue", FQ_USER});
  const passwd* entry = ::getpwnam(FQ_USER);
  if (entry == nullptr) throw Error{Kind::unavailable, "useradd made no user '" FQ_USER "'"};
  return line_of("user", fmt::format(FQ_USER " ({})", entry->pw_uid));
}

Line make_keys(bool renew) {
  const std::string directory{kConfigurationDirectory}, secret = directory + "/imp.key",
                                                        known = directory + "/imp.pub";
  constexpr mode_t kReadable = 0644, kRoots = 0600, kListed = 0755;
  if (!exists(directory)) {
    make_directory(directory, kListed);
    if (::chmod(directory.c_str(), kListed) != 0)
      throw system_error("cannot change " + quote(directory), errno);
  }
  require_roots(directory);
  const std::string before = read_file_if_exists(known).value_or("");
  try {
    if (::sodium_init() < 0) throw Error{Kind::internal, "cannot use libsodium"};
    if (!exists(secret) || renew) {
      const signature::KeyTexts keys = signature::new_keys(
          before, static_cast<std::int64_t>(SystemClock{}.now()), signature::kLongestLife);
      // Nothing is signed by a key that nobody can verify yet.
      replace_file(known, keys.known, kReadable);
      replace_file(secret, keys.secret, kRoots);
      return line_of("keys", fmt::format("{}, {}", secret, known));
    }
    const struct stat status = status_of(secret);
    if (!S_ISREG(status.st_mode) || status.st_uid != 0 || (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
      throw Error{Kind::refused, fmt::format("{} is not root's alone", quote(secret)),
                  "who has read it can sign for anybody: remove both files of keys, and run this again"};
    std::vector<signature::PublicKey> keys = signature::parse_public_keys(before);
    const signature::PublicKey own = signature::SecretKey::parse(read_file(secret)).public_key();
    if (std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return key.bytes == own.bytes; }))
      return {};
    keys.push_back(own);
    replace_file(known, signature::public_keys_text(keys), kReadable);
    return line_of("keys", known);
  } catch (const signature::Refused& refused) {
    throw error(Kind::invalid, "the keys in {}: {}", quote(directory), refused.what());
  }
}

Line make_session() {
  const auto has = [](std::string_view name) { return exists(fmt::format("/etc/pam.d/{}", name)); };
  if (!exists("/etc/pam.d")) return {};
  std::string text = system_files::kPam;
  if (!has("common-account")) {
    const std::string_view lines = has("system-auth") ? "include system-auth" : "required pam_unix.so";
    text = text.substr(0, text.find('\n') + 1) + fmt::format("account  {0}\nsession  {0}\n", lines);
  }
  return make_file("session", "/etc/pam.d/" FQ_USER, {"/usr/lib/pam.d/" FQ_USER}, text);
}

Line make_setuid() {
  std::string made;
  for (const std::string_view name : kSetuid) {
    const std::string path = fmt::format("{}/{}", kPrograms, name);
    const mode_t mode = status_of(path).st_mode & ALLPERMS;
    if ((mode & S_ISUID) != 0) continue;
    if (::chmod(path.c_str(), mode | S_ISUID) != 0) throw system_error("cannot change " + quote(path), errno);
    made += (made.empty() ? "" : ", ") + path;
  }
  return made.empty() ? Line{} : line_of("setuid", made);
}

Line make_place() {
  const std::string place{manager::kSystemStore};
  const passwd* user = ::getpwnam(FQ_USER);
  if (user == nullptr) throw Error{Kind::not_found, "there is no user '" FQ_USER "'"};
  bool made = false;
  if (!exists(place)) {
    make_directory(place);
    made = true;
  }
  const struct stat found = status_of(place);
  if (!S_ISDIR(found.st_mode)) throw error(Kind::refused, "{} is not a directory", quote(place));
  const bool is_empty = names_in(place).value_or(std::vector<std::string>{""}).empty();
  if (found.st_uid != user->pw_uid && !(found.st_uid == 0 && is_empty)) {
    throw Error{Kind::refused, fmt::format("{} belongs to user {}", quote(place), found.st_uid),
                "a store that users share is user '" FQ_USER "''s: move it away"};
  }
  constexpr mode_t kOwners = 0700;
  const UniqueFd directory = open_file(place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (found.st_uid != user->pw_uid || found.st_gid != user->pw_gid || (found.st_mode & ALLPERMS) != kOwners) {
    if (::fchmod(directory.get(), kOwners) != 0 || ::fchown(directory.get(), user->pw_uid, user->pw_gid) != 0)
      throw system_error("cannot change " + quote(place), errno);
    made = true;
  }
  return made ? line_of("place", place) : Line{};
}

Line make_tmpfiles() {
  if (!exists("/etc/tmpfiles.d")) return {};
  return make_file("tmpfiles", "/etc/tmpfiles.d/fq.conf", {"/usr/lib/tmpfiles.d/fq.conf"},
                   system_files::kTmpfiles);
}

Line start_at_boot() {
  if (!systemd_runs()) return {};
  const std::array<std::pair<std::string, std::string_view>, 2> units{
      {{"fq-tick.service", system_files::kService}, {"fq-tick.timer", system_files::kTimer}}};
  std::string made;
  for (const auto& [unit, text] : units) {
    // Those of a package are the package's to enable.
    if (exists("/usr/lib/systemd/system/" + unit) || exists("/lib/systemd/system/" + unit)) continue;
    const bool is_new = make_file(unit, "/etc/systemd/system/" + unit, {}, text).has_value();
    if (is_new) run_program({"systemctl", "daemon-reload"});
    if (!is_new && succeeds({"systemctl", "--quiet", "is-enabled", unit})) continue;
    run_program({"systemctl", "--quiet", "enable", unit});
    made += (made.empty() ? "" : ", ") + unit;
  }
  if (made.empty()) return {};
  run_program({"systemctl", "--quiet", "start", "fq-tick.timer"});
  return line_of("at boot", "systemd: " + made);
}

Line what_to_call_at_boot() {
  if (systemd_runs()) return {};
  return line_of("at boot", fmt::format("to be called by root: {}/fq-tick --store {}", kPrograms,
                                        manager::kSystemStore));
}

}  // namespace fq::tools::system_setup
