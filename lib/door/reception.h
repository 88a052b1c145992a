// An engine that stays: it answers brief requests of many connections, one after the other, with the store
// kept open from one to the next, and hands all others on to engines of their own.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "door/attend.h"
#include "door/engine_place.h"
#include "manager/engine/session.h"

namespace fq::door {

/// What is handed on of a connection.
struct Handed {
  EnginePlace::Caller caller;
  UniqueFd socket;
  Begun begun;
};
using HandOn = std::function<void(Handed handed)>;

/// What nobody waits for longer, in seconds, and no longer reads here.
struct ReceptionBounds {
  double stays = 0.3;          ///< so long for another request
  double stays_most = 60;      ///< so long in all: programs are replaced, and configured anew
  double keeps = 0.02;         ///< the store so long for another request that needs it
  double keeps_most = 0.2;     ///< and so long in all: others wait for it
  double frame = 0.1;          ///< for the rest of a frame that has begun
  double reader = 60;          ///< for who takes an answer only in part
  double lock = 0.25;          ///< for the store's lock, while others wait for this one
  std::size_t reads = 20'000;  ///< keys of the store for one query
};

/// Stays at the store's EnginePlace, unless another process has it, until nobody has asked anything for a
/// while. `session` is the store, without who asks. What is read and written of a connection meanwhile is
/// held in memory: 64 KiB, and 1 MiB. Throws Error where it cannot take the place.
void receive_callers(const manager::Session& session, const HandOn& hand_on,
                     const ReceptionBounds& bounds = {});

}  // namespace fq::door
