#include "door/share.h"

#include <functional>

#include <poll.h>

#include "base/error.h"
#include "base/text.h"
#include "document/config/config_access.h"
#include "door/frame.h"
#include "manager/core/shares.h"

namespace fq::door {

namespace {

constexpr int kBetweenLooks_ms = 250;  // between looks for one that is free

// Waits for a place so long, 0: for ever, while who asks is there.
PlaceLock await_place(const manager::Session& session, int socket, const std::string& path,
                      std::uint64_t places, double patience_s, const std::function<Error()>& refused) {
  const double deadline = session.clock->boot_time() + patience_s;
  for (;;) {
    if (auto place = PlaceLock::try_acquire(path, places)) return *std::move(place);
    if (patience_s > 0 && session.clock->boot_time() >= deadline) throw refused();
    pollfd gone{socket, POLLRDHUP, 0};
    if (::poll(&gone, 1, kBetweenLooks_ms) > 0) throw Gone{};
  }
}

}  // namespace

std::optional<Share> Share::try_connection(const manager::Session& session) {
  Share share;
  const auto path = manager::share_lock_path(session, "");
  if (!path) return share;
  // So many each has, and they cost no look into the store.
  share.place_ = PlaceLock::try_acquire(*path, document::kLeastConnections);
  if (!share.place_) return std::nullopt;
  return share;
}

Share Share::of_connections(const manager::Session& session, int socket) {
  if (auto share = try_connection(session)) return *std::move(share);
  Share share;
  const auto path = manager::share_lock_path(session, "");
  const auto shares = manager::shares_of(session);
  if (!shares || shares->connections == 0) return share;
  share.place_ = await_place(session, socket, *path, shares->connections, shares->patience_s, [&] {
    return error(Kind::refused,
                 "user {} has {} of at most {} to the store: one more was not answered for {:g} seconds",
                 session.caller.uid, counted(shares->connections, "connection"), shares->connections,
                 shares->patience_s);
  });
  return share;
}

Share Share::of_large_requests(const manager::Session& session, int socket) {
  Share share;
  const auto path = manager::share_lock_path(session, ".large");
  if (!path) return share;
  if ((share.place_ = PlaceLock::try_acquire(*path, 1))) return share;
  const auto shares = manager::shares_of(session);
  if (!shares) return share;
  share.place_ = await_place(session, socket, *path, 1, shares->patience_s, [&] {
    return error(Kind::refused,
                 "user {} has another request of more than {} bytes at the store: one more was not answered "
                 "for {:g} seconds",
                 session.caller.uid, FrameChannel::kLarge, shares->patience_s);
  });
  return share;
}

}  // namespace fq::door
