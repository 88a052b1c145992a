// A door to another process, which answers on a connection (door/attend.h): on this machine, behind the gate
// of a shared store, or on another host.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "door/connection.h"
#include "door/door.h"
#include "door/frame.h"
#include "door/greeting.h"
#include "door/told.h"

namespace fq::door {

class RemoteDoor : public Door {
 public:
  /// Makes a connection: called once now, and once for each terminal that is looked at.
  using Connect = std::function<FrameChannel()>;
  /// Says the command that runs fq-imp(8) there, for jobs that run as their users: asked when one is to be
  /// signed.
  using Imp = std::function<std::vector<std::string>()>;

  /// Throws Error{unavailable} when nobody answers, or one that speaks another protocol; Error as who answers
  /// refuses. `clock` outlives this.
  RemoteDoor(Connect connect, Imp imp, const Greeting& greeting, Told told, const Clock& clock);

  [[nodiscard]] std::unique_ptr<Waiter> waiter(std::span<const notation::JobId> ids) const override;
  [[nodiscard]] std::unique_ptr<GuestFile> guest_file(notation::JobId id, std::string name) const override;
  [[nodiscard]] std::unique_ptr<JobInput> input(notation::JobId id, const notation::Idset& ranks,
                                                const notation::Idset& closed) const override;
  [[nodiscard]] std::optional<meeting::TerminalLink> terminal(notation::JobId id) const override;
  [[nodiscard]] const Clock& clock() const override { return clock_; }
  [[nodiscard]] std::uint32_t userid() const override { return connection_->welcome().userid; }
  [[nodiscard]] bool has_read_damaged() const override { return connection_->has_read_damaged(); }

 private:
  /// What is brief once more, by another connection, where who answers went before anything was changed: one
  /// that answers many may have been ended for another's sake.
  void carry_surely(std::size_t kind, const void* request, void* reply, const void* rows) const;
  void carry(std::size_t kind, const void* request, void* reply, const void* rows) const override;

  Connect connect_;
  Imp imp_;
  Greeting greeting_;
  Told told_;
  const Clock& clock_;
  mutable std::shared_ptr<Connection> connection_;  ///< shared with the streams of replies, and what goes on
};

}  // namespace fq::door
