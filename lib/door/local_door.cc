#include "door/local_door.h"

#include "base/file.h"
#include "door/routes.h"
#include "door/stores.h"
#include "manager/engine/damaged_store.h"
#include "meeting/guest_file.h"
#include "meeting/input_writer.h"
#include "meeting/wake.h"

namespace fq::door {
namespace {

static_assert(Waiter::kMostNamed == meeting::Waiter::kMaxFiles);

class LocalGuestFile : public GuestFile {
 public:
  explicit LocalGuestFile(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] bool is_open() const override { return file_.is_open(); }
  void try_open() override { file_.try_open(path_); }
  [[nodiscard]] std::string_view read_more() override { return file_.read_more(); }

 private:
  std::string path_;
  meeting::GuestFile file_;
};

class LocalInput : public JobInput {
 public:
  LocalInput(meeting::InputWriter writer, const Clock& clock) : writer_(std::move(writer)), clock_(clock) {}

  void write(std::string_view bytes) override { writer_.write(bytes, clock_.now()); }
  void close() override { writer_.close(clock_.now()); }

 private:
  meeting::InputWriter writer_;
  const Clock& clock_;
};

}  // namespace

bool LocalDoor::has_read_damaged() const {
  return manager::has_read_damaged(session_);
}

std::unique_ptr<Waiter> LocalDoor::waiter(std::span<const notation::JobId> ids) const {
  return Stores(session_).waiter(ids);
}

std::unique_ptr<GuestFile> LocalDoor::guest_file(notation::JobId id, std::string name) const {
  return std::make_unique<LocalGuestFile>(session_of(session_, id).files().guest(id) + "/" + std::move(name));
}

std::unique_ptr<JobInput> LocalDoor::input(notation::JobId id, const notation::Idset& ranks,
                                           const notation::Idset& closed) const {
  const meeting::JobFiles files = session_of(session_, id).files();
  if (!exists(files.guest(id))) return nullptr;
  return std::make_unique<LocalInput>(meeting::InputWriter{files, id, ranks, closed, session_.clock->now()},
                                      *session_.clock);
}

std::optional<meeting::TerminalLink> LocalDoor::terminal(notation::JobId id) const {
  return meeting::connect_to_terminal(session_of(session_, id).files(), id);
}

void LocalDoor::carry(std::size_t kind, const void* request, void* reply, const void* rows) const {
  door::serve(session_, kind, request, reply, rows);
}

}  // namespace fq::door
