// The door into this process: requests are answered by the manager, on a store of the caller's own.

#pragma once

#include "door/door.h"
#include "manager/engine/session.h"

namespace fq::door {

class LocalDoor : public Door {
 public:
  explicit LocalDoor(manager::Session session) : session_(std::move(session)) {}

  [[nodiscard]] const manager::Session& session() const { return session_; }

  [[nodiscard]] std::unique_ptr<Waiter> waiter(std::span<const notation::JobId> ids) const override;
  [[nodiscard]] std::unique_ptr<GuestFile> guest_file(notation::JobId id, std::string name) const override;
  [[nodiscard]] std::unique_ptr<JobInput> input(notation::JobId id, const notation::Idset& ranks,
                                                const notation::Idset& closed) const override;
  [[nodiscard]] std::optional<meeting::TerminalLink> terminal(notation::JobId id) const override;
  [[nodiscard]] const Clock& clock() const override { return *session_.clock; }
  [[nodiscard]] std::uint32_t userid() const override { return session_.caller.uid; }
  [[nodiscard]] bool has_read_damaged() const override;

 private:
  void carry(std::size_t kind, const void* request, void* reply, const void* rows) const override;

  manager::Session session_;
};

}  // namespace fq::door
