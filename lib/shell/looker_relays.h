// Those who look at a job's terminal, between the halves of a shell: the keeper accepts who comes, and the
// terminal, which is the user's half's, sees each as a looker of its own. What one end sends (packets of
// meeting/terminal_link.h) comes out at the other; no more is on the way than the other end takes.
//
//   look-begin N          keeper to user's half: one has come
//   look N PACKET         both ways
//   look-taken N COUNT    so many packets of N were handed on
//   look-end N            both ways: N is gone, and this was the last of it

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <poll.h>

#include "meeting/terminal_link.h"
#include "shell/wire.h"

namespace fq::shell {

class LookerRelays {
 public:
  /// `wire` outlives this.
  explicit LookerRelays(Wire& wire) : wire_(wire) {}

  void add(std::uint64_t number, meeting::TerminalLink link);
  [[nodiscard]] std::size_t size() const { return relays_.size(); }

  /// Adds what is waited for.
  void watch(std::vector<pollfd>& fds) const;
  /// Hands on what has come on either side, as far as it is taken.
  void serve();
  /// Whether the frame is one of these but look-begin; what it says is done then. One of a number that is
  /// gone is passed over. Throws Error{invalid} for one that has another form, or was not to be sent.
  [[nodiscard]] bool take(const Wire::Frame& frame);
  /// Waits, some seconds at most, until what has come is taken by those who look; then they are gone.
  void end();

 private:
  struct Relay {
    meeting::TerminalLink link;
    std::uint64_t on_the_way = 0;  ///< packets that the other half has not handed on
    std::uint64_t owed = 0;        ///< packets handed on here, and not told of
    bool ends = false;             ///< nothing comes from the other half any more
  };

  /// False when it is gone.
  [[nodiscard]] bool serve(std::uint64_t number, Relay& relay);

  Wire& wire_;
  std::map<std::uint64_t, Relay> relays_;
};

}  // namespace fq::shell
