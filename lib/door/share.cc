#include "door/share.h"

#include <poll.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "document/config/config_access.h"
#include "door/frame.h"
#include "manager/core/shares.h"

namespace fq::door {

namespace {

constexpr int kPause_ms = 250;  // between looks for one that is free

}  // namespace

Share::Share(const manager::Session& session, int socket) {
  constexpr std::uint32_t kRoot = 0;
  if (session.signatures == nullptr || session.caller.uid == kRoot) return;
  const std::string directory = session.store + "/door";
  make_directory(directory);
  const std::string path = fmt::format("{}/{}", directory, session.caller.uid);
  // So many each has, and they cost no look into the store.
  if ((place_ = PlaceLock::try_acquire(path, document::kLeastConnections))) return;
  const auto shares = manager::shares_of(session);
  if (!shares || shares->connections == 0) return;
  const double deadline = session.clock->boot_time() + shares->patience_s;
  while (!(place_ = PlaceLock::try_acquire(path, shares->connections))) {
    if (shares->patience_s > 0 && session.clock->boot_time() >= deadline)
      throw error(Kind::refused,
                  "user {} has {} of at most {} to the store: one more was not answered for {:g} seconds",
                  session.caller.uid, counted(shares->connections, "connection"), shares->connections,
                  shares->patience_s);
    pollfd gone{socket, POLLRDHUP, 0};
    if (::poll(&gone, 1, kPause_ms) > 0) throw Gone{};
  }
}

}  // namespace fq::door
