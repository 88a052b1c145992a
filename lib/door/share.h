// A user's shares of the door of a store that users share: how many connections are answered at once, and of
// large requests one.

#pragma once

#include <optional>

#include "base/file_lock.h"
#include "manager/engine/session.h"

namespace fq::door {

class Share {
 public:
  /// Takes one of the caller's connections, where the session's caller is held to shares
  /// (manager/core/shares.h), and waits for one as long as is configured. Who asks is at the other end of the
  /// socket. Throws Error{refused} where none becomes free, Gone where who asks goes meanwhile.
  [[nodiscard]] static Share of_connections(const manager::Session& session, int socket);
  /// The same without waiting; nothing where none is free.
  [[nodiscard]] static std::optional<Share> try_connection(const manager::Session& session);
  /// The same of what is held in memory: one request at a time that is large.
  [[nodiscard]] static Share of_large_requests(const manager::Session& session, int socket);

 private:
  std::optional<PlaceLock> place_;
};

}  // namespace fq::door
