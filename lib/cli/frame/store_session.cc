#include "cli/frame/store_session.h"

#include <array>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "cli/frame/job_instance.h"
#include "cli/frame/output.h"
#include "cli/frame/store_notices.h"
#include "document/resource_set.h"
#include "manager/engine/store_check.h"
#include "manager/serve/initialize.h"
#include "process/detach.h"
#include "process/find_program.h"
#include "records/instance.h"

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
  const bool create =
      missing == MissingStore::create && !location.explicit_ && !manager::store_exists(location.path);
  if (create) make_store(location.path);
  manager::check_store(location.path);
  if (create) {
    manager::query(session_, [&](const store::Reader& reader) {
      const auto inventory = document::ResourceSet::parse(records::read_inventory(reader));
      say(command, fmt::format("made a store in {}: {}, {}", location.path,
                               counted(inventory.ncores(), "core"), counted(inventory.ngpus(), "GPU")));
    });
  }
}

}  // namespace fq::cli
