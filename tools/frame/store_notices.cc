#include "frame/store_notices.h"

#include <memory>

#include <poll.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/frame/output.h"
#include "cli/frame/progress.h"

namespace fq::tools {
namespace {

bool stderr_has_room() {
  pollfd wait{STDERR_FILENO, POLLOUT, 0};
  return ::poll(&wait, 1, 0) == 1 && (wait.revents & POLLOUT) != 0;
}

void tell(const std::string& command, const std::string& text) {
  if (stderr_has_room()) cli::say(command, text);
}

}  // namespace

manager::Notices store_notices(const std::string& command) {
  manager::Notices notices;
  notices.migrating = [command, bar = std::shared_ptr<cli::Progress>{}](std::uint64_t done,
                                                                        std::uint64_t total) mutable {
    if (done == 0) {
      bar = std::make_shared<cli::Progress>(/*rate=*/false);
      if (!bar->is_shown()) {
        tell(command, fmt::format("the store was made by an older fq: bringing it to the present format ({})",
                                  counted(total, "job")));
      }
    }
    if (stderr_has_room()) bar->update("Bringing the store to the present format: ", done, total);
    if (done == total) bar.reset();
  };
  if (::isatty(STDERR_FILENO) == 1) {
    notices.waiting = [command](const std::string& holder) {
      tell(command, "waiting for the store" + (holder.empty() ? "" : ": it is locked by " + holder));
    };
  }
  return notices;
}

}  // namespace fq::tools
