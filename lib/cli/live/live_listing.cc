#include "cli/live/live_listing.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "cli/live/live_screen.h"
#include "door/door.h"
#include "request/wait.h"

namespace fq::cli {
namespace {

constexpr double kLookTick_s = 1;
constexpr double kRest = 9;         ///< a look may take a tenth of the time, and
constexpr double kMinRest_s = 0.1;  ///< the eye wants no more

}  // namespace

int show_live(const door::Door& door, std::span<const notation::JobId> ids, const LiveListing& listing) {
  LiveScreen screen;
  return *show_live(screen, door, ids, listing);
}

std::optional<int> show_live(LiveScreen& screen, const door::Door& door, std::span<const notation::JobId> ids,
                             const LiveListing& listing) {
  const auto waiter = door.waiter(ids);
  waiter->watch_input(screen.input_fd());
  const Clock& clock = door.clock();
  double began = clock.boot_time();
  listing.read();
  double next_look = clock.boot_time() + std::max(kRest * (clock.boot_time() - began), kMinRest_s);
  for (bool stale = false;;) {
    began = clock.boot_time();
    if (stale && began >= next_look) {
      listing.read();
      stale = false;
      next_look = clock.boot_time() + std::max(kRest * (clock.boot_time() - began), kMinRest_s);
    }
    if (listing.is_left && listing.is_left()) return std::nullopt;
    screen.draw(listing.render(), listing.left_out());
    double wait_s = request::kNoTimeout;
    if (listing.ticks()) wait_s = kLookTick_s - std::fmod(clock.boot_time(), kLookTick_s);
    if (stale) wait_s = std::min(wait_s, std::max(next_look - clock.boot_time(), 0.0));
    if (waiter->wait(wait_s) && waiter->jobs_may_have_changed()) stale = true;
    if (const auto code = screen.take_input(listing.pressed)) return code;
  }
}

}  // namespace fq::cli
