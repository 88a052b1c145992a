#include "cli/frame/store_session.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/shell_words.h"
#include "base/text.h"
#include "cli/frame/boot_line.h"
#include "cli/frame/job_instance.h"
#include "cli/frame/output.h"
#include "cli/frame/store_notices.h"
#include "document/resource_set.h"
#include "manager/engine/store_check.h"
#include "manager/site/initialize.h"
#include "manager/site/resource_use.h"
#include "process/detach.h"
#include "process/find_program.h"

namespace fq::cli {
namespace {

// The topology library is slow to load, so only fq-init carries it.
void make_store(const std::string& path) {
  const std::string program = process::find_program("fq-init");
  const std::array<std::string, 4> arguments{"fq-init", "--quiet", "--store", path};
  const int status = process::run_and_wait(program, arguments);
  if (status != 0 && !manager::store_exists(path)) {
    throw Error{Kind::io, fmt::format("cannot make a store in {}", quote(path)), "fq init says why"};
  }
}

// Those that the user has under the names of other hosts, as this one may have been called.
void tell_of_other_stores(std::string_view command, const std::string& store) {
  const auto directory = manager::state_directory();
  if (!directory) return;
  std::error_code failure;
  std::vector<std::string> others;
  for (const auto& entry : std::filesystem::directory_iterator(*directory, failure)) {
    const std::string path = entry.path().string();
    if (path != store && manager::store_exists(path)) others.push_back(path);
  }
  std::sort(others.begin(), others.end());
  for (const std::string& path : others) {
    say(command, fmt::format("you have a store for the host {}: --store {}",
                             quote(path.substr(path.rfind('/') + 1)), shell_quote(path)));
  }
}

}  // namespace

StoreSession::StoreSession(std::string_view command, const CommonOptions& options, MissingStore missing) {
  const manager::StoreLocation location = manager::locate_store(options.store);
  session_.store = location.path;
  session_.command = command;
  session_.lock_timeout_s = options.lock_timeout_s.value_or(std::numeric_limits<double>::infinity());
  session_.caller = manager::Credential::of_process();
  session_.notices = store_notices(session_.command);
  if (options.damaged) {
    damaged_.emplace(
        [name = session_.command](const std::string& damage, const std::vector<std::string>& lost) {
          say(name, damage + "; what is shown may be incomplete");
          for (const std::string& line : lost) say(name, line);
        });
    session_.damaged = &*damaged_;
  }
  session_.clock = &clock_;
  session_.launcher = &launcher_;
  if (is_job_instance(location.path) && !manager::store_exists(location.path))
    make_job_instance(location.path);
  const bool none = !location.explicit_ && missing != MissingStore::refuse && manager::is_free(location.path);
  if (none) tell_of_other_stores(command, location.path);
  if (none && missing == MissingStore::go_on) {
    is_missing_ = true;
    return;
  }
  if (none) make_store(location.path);
  manager::check_store(location.path);
  if (none) {
    const document::ResourceSet inventory = manager::resource_use(session_).inventory;
    say(command, fmt::format("made a store in {}: {}, {}", location.path, counted(inventory.ncores(), "core"),
                             counted(inventory.ngpus(), "GPU")));
    say(command,
        "its jobs start again after a boot with this line in your crontab: " + crontab_line(location.path));
  }
}

}  // namespace fq::cli
