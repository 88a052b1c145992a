#include "frame/store_session.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/shell_words.h"
#include "base/text.h"
#include "cli/frame/boot_line.h"
#include "cli/frame/job_instance.h"
#include "cli/frame/output.h"
#include "document/resource/resource_set.h"
#include "door/local_door.h"
#include "door/remote_door.h"
#include "frame/host.h"
#include "frame/make_instance.h"
#include "frame/store_notices.h"
#include "manager/engine/store_check.h"
#include "manager/site/create_store.h"
#include "manager/site/initialize.h"
#include "process/start/connected_child.h"
#include "process/start/detach.h"
#include "process/start/find_program.h"
#include "process/user/state_directory.h"

namespace fq::tools {
namespace {

// The topology library is slow to load, so only fq-init carries it.
void make_store(const std::string& path) {
  const process::Answer answer =
      process::ask_program({process::find_program("fq-init"), "--quiet", "--store", path}, {});
  if (answer.code == 0 || manager::store_exists(path)) return;
  manager::require_room(path);
  constexpr std::string_view kSays = "fq-init: ";
  std::string_view why = trim(answer.errors);
  if (why.starts_with(kSays)) why.remove_prefix(kSays.size());
  throw error(Kind::io, "cannot make a store in {}: {}", quote(path),
              why.empty() ? fmt::format("fq-init ended with code {}", answer.code) : std::string{why});
}

// Those that the user has under the names of other hosts, as this one may have been called.
void tell_of_other_stores(std::string_view command, const std::string& store) {
  const auto directory = process::state_directory();
  if (!directory) return;
  std::error_code failure;
  std::vector<std::string> others;
  for (const auto& entry : std::filesystem::directory_iterator(*directory, failure)) {
    const std::string path = entry.path().string();
    if (path != store && manager::store_exists(path)) others.push_back(path);
  }
  std::sort(others.begin(), others.end());
  for (const std::string& path : others) {
    cli::say(command, fmt::format("you have a store for the host {}: --store {}",
                                  quote(path.substr(path.rfind('/') + 1)), shell_quote(path)));
  }
}

// Requests are answered by what `command` starts, and what runs there is signed by what `imp` starts.
std::unique_ptr<door::Door> open_door_to(std::vector<std::string> command, door::RemoteDoor::Imp imp,
                                         const manager::Session& session, const Clock& clock) {
  return std::make_unique<door::RemoteDoor>(
      [command = std::move(command)] { return door::FrameChannel{process::start_connected(command)}; },
      std::move(imp), door::Greeting{session.command, session.lock_timeout_s, session.damaged != nullptr},
      door::Told{session.notices, session.damaged != nullptr ? session.damaged->notice() : nullptr}, clock);
}

std::vector<std::string> local_imp() {
  return {process::find_program("fq-imp")};
}

// The store that the options mean, on another machine.
std::unique_ptr<door::Door> open_door_on(const cli::CommonOptions& options, MissingStore missing,
                                         const manager::Session& session, const Clock& clock) {
  const std::string create = missing == MissingStore::create ? " --create" : "";
  const std::vector<std::string> command = on_host(*options.host, store_on_host(options) + create);
  try {
    const auto imp = [host = *options.host] { return on_host(host, " --imp"); };
    return open_door_to(command, imp, session, clock);
  } catch (const door::Gone&) {
    throw nobody_at(*options.host);
  } catch (const Error& failure) {
    throw failure.within(*options.host);
  }
}

// $FQ_DOOR is `engine`: requests are answered by another process, as those of a shared store are. The
// black-box tests are run so, too.
std::unique_ptr<door::Door> open_door(const manager::Session& session, const Clock& clock) {
  const char* way = std::getenv("FQ_DOOR");
  if (way == nullptr || *way == '\0') return std::make_unique<door::LocalDoor>(session);
  if (way != std::string_view{"engine"})
    throw error(Kind::usage, "$FQ_DOOR: expected engine, got {}", quote(way));
  return open_door_to({process::find_program("fq-engine"), "--store", session.store}, local_imp, session,
                      clock);
}

}  // namespace

std::string gate_to(const std::string& store) {
  struct stat status {};
  if (store != manager::kSystemStore || ::stat(store.c_str(), &status) != 0 || status.st_uid == ::geteuid())
    return {};
  try {
    std::string gate = process::find_program("fq-gate");
    const bool is_roots =
        ::stat(gate.c_str(), &status) == 0 && status.st_uid == 0 && (status.st_mode & S_ISUID) != 0;
    return is_roots ? gate : std::string{};
  } catch (const Error&) {
    return {};
  }
}

StoreSession::StoreSession(std::string_view command, const cli::CommonOptions& options,
                           MissingStore missing) {
  manager::Session& session = session_;
  session.command = command;
  session.lock_timeout_s = options.lock_timeout_s.value_or(std::numeric_limits<double>::infinity());
  session.caller = manager::Credential::of_process();
  session.notices = store_notices(session.command);
  if (options.damaged) {
    damaged_.emplace(
        [name = session.command](const std::string& damage, const std::vector<std::string>& lost) {
          cli::say(name, damage + "; what is shown may be incomplete");
          for (const std::string& line : lost) cli::say(name, line);
        });
    session.damaged = &*damaged_;
  }
  session.clock = &clock_;
  session.launcher = &launcher_;
  if (options.host) {
    is_elsewhere_ = true;
    door_ = open_door_on(options, missing, session_, clock_);
    return;
  }
  const manager::StoreLocation location = manager::locate_store(options.store);
  session.store = location.path;
  if (const std::string gate = gate_to(location.path); !gate.empty()) {
    is_behind_gate_ = true;
    door_ = open_door_to({gate}, local_imp, session_, clock_);
    return;
  }
  if (cli::is_job_instance(location.path) && !manager::store_exists(location.path))
    make_job_instance(location.path);
  // The one that users share nobody makes by the way.
  const bool none = !location.explicit_ && location.path != manager::kSystemStore &&
                    missing != MissingStore::refuse && manager::is_free(location.path);
  if (none) tell_of_other_stores(command, location.path);
  if (none && missing == MissingStore::go_on) {
    is_missing_ = true;
    return;
  }
  if (none) make_store(location.path);
  manager::check_store(location.path);
  door_ = open_door(session_, clock_);
  if (none) {
    const document::ResourceSet inventory = door_->ask(request::ResourceUseRequest{}).inventory;
    cli::say(command, fmt::format("made a store in {}: {}, {}", location.path,
                                  counted(inventory.ncores(), "core"), counted(inventory.ngpus(), "GPU")));
    cli::say(command, "its jobs start again after a boot with this line in your crontab: " +
                          cli::crontab_line(location.path));
  }
}

const std::string& StoreSession::path() const {
  if (is_elsewhere_)
    throw Error{Kind::refused, "this is for stores of this machine", "leave out --host, and FQ_HOST"};
  return session_.store;
}

const manager::Session& StoreSession::local() const {
  const std::string& store = path();
  if (is_behind_gate_)
    throw Error{Kind::permission,
                fmt::format("this is for the user whom the store {} belongs to", quote(store))};
  return session_;
}

}  // namespace fq::tools
