#include "shell/looker_relays.h"

#include <iterator>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"

namespace fq::shell {
namespace {

// Packets of one looker that are on the way at most: a quarter of a MiB.
constexpr std::uint64_t kWindow = 16;
// Who takes nothing for so long at the end has seen the last of it.
constexpr double kLastLinger_s = 1;
constexpr double kLastPatience_s = 5;  // for all together

}  // namespace

void LookerRelays::add(std::uint64_t number, meeting::TerminalLink link) {
  relays_.emplace(number, Relay{std::move(link)});
}

void LookerRelays::watch(std::vector<pollfd>& fds) const {
  for (const auto& [number, relay] : relays_) {
    short events = relay.on_the_way < kWindow ? POLLIN : 0;
    if (relay.link.queued() > 0) events |= POLLOUT;
    if (events != 0) fds.push_back({relay.link.fd(), events, 0});
  }
}

bool LookerRelays::serve(std::uint64_t number, Relay& relay) {
  const std::string name = std::to_string(number);
  while (relay.on_the_way < kWindow) {
    const auto packet = relay.link.receive();
    if (packet && packet->empty()) break;
    if (!packet) {
      wire_.send({"look-end", name});
      return false;
    }
    wire_.send({"look", name, std::string{*packet}});
    ++relay.on_the_way;
  }
  static_cast<void>(relay.link.flush());
  if (relay.link.queued() > 0) return true;
  if (relay.ends) return false;
  if (relay.owed > 0) wire_.send({"look-taken", name, std::to_string(std::exchange(relay.owed, 0))});
  return true;
}

void LookerRelays::serve() {
  for (auto at = relays_.begin(); at != relays_.end();)
    at = serve(at->first, at->second) ? std::next(at) : relays_.erase(at);
}

bool LookerRelays::take(const Wire::Frame& frame) {
  const bool is_packet = frame[0] == "look", is_taken = frame[0] == "look-taken",
             is_end = frame[0] == "look-end";
  if (!is_packet && !is_taken && !is_end) return false;
  const auto number = frame.size() > 1 ? parse_u64(frame[1]) : std::nullopt;
  const std::size_t size = is_end ? 2 : 3;
  if (!number || frame.size() != size) throw Error{Kind::invalid, "that is nobody who looks"};
  const auto at = relays_.find(*number);
  if (at == relays_.end()) return true;
  Relay& relay = at->second;
  if (is_end) {
    relay.ends = true;
  } else if (is_packet) {
    const std::string& packet = frame[2];
    if (packet.empty() || packet.size() > meeting::kMaxPacket + 1 || ++relay.owed > kWindow || relay.ends)
      throw Error{Kind::invalid, "that is more than one who looks may send"};
    relay.link.send(packet.front(), std::string_view{packet}.substr(1));
  } else {
    const auto count = parse_u64(frame[2]);
    if (!count || *count > relay.on_the_way) throw Error{Kind::invalid, "so much was not on the way"};
    relay.on_the_way -= *count;
  }
  return true;
}

void LookerRelays::end() {
  const SystemClock clock;
  const double until = clock.boot_time() + kLastPatience_s;
  for (auto& [number, relay] : relays_) meeting::send_rest(relay.link, until, kLastLinger_s, clock);
  relays_.clear();
}

}  // namespace fq::shell
