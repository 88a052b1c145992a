#include "door/remote_door.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "door/brief.h"
#include "door/signer.h"

namespace fq::door {
namespace {

using Shared = std::shared_ptr<Connection>;

// What stands on the other side under a number until it is let go.
class Numbered {
 public:
  explicit Numbered(Shared connection)
      : connection_(std::move(connection)), number_(connection_->next_number()) {}
  Numbered(const Numbered&) = delete;
  Numbered& operator=(const Numbered&) = delete;
  ~Numbered() {
    try {
      connection_->tell(fmt::format("forget {}", number_));
    } catch (const Error&) {
      return;  // with the connection it is gone, too
    }
  }

  [[nodiscard]] Connection& connection() const { return *connection_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Asks WORD NUMBER REST.
  std::string_view ask(std::string_view word, std::string_view rest = {}) const {
    return connection_->ask(fmt::format("{} {}{}", word, number_, rest));
  }

 private:
  Shared connection_;
  std::uint64_t number_;
};

class RemoteWaiter : public Waiter {
 public:
  RemoteWaiter(Shared connection, std::span<const notation::JobId> ids, const Clock& clock)
      : clock_(clock), there_(std::move(connection)) {
    std::string words = fmt::format("watch {}", there_.number());
    if (ids.size() <= kMostNamed) {
      for (const notation::JobId id : ids) words += fmt::format(" {}", id.value);
    }
    there_.connection().tell(words);
  }

  void watch_guest() override {
    if (!std::exchange(watches_guest_, true))
      there_.connection().tell(fmt::format("guest {}", there_.number()));
  }
  void watch_inputs(std::vector<pollfd> inputs) override { inputs_ = std::move(inputs); }
  [[nodiscard]] bool input_ready() const override { return input_ready_; }
  [[nodiscard]] bool jobs_may_have_changed() const override { return jobs_may_have_changed_; }

  [[nodiscard]] bool wait(double timeout_s) override {
    Connection& connection = there_.connection();
    connection.begin(fmt::format("wait {} inf", there_.number()));
    input_ready_ = false;
    const Wake wake = sleep(timeout_s);
    if (wake != Wake::told) connection.break_off();
    const std::string_view told = connection.end();
    jobs_may_have_changed_ = told == "changed";
    return told != "broken" || wake != Wake::late;
  }

 private:
  enum class Wake { told, late, other };

  // Until the answer comes, an input is ready, a signal came, or the time is over.
  Wake sleep(double timeout_s) {
    std::vector<pollfd> fds = inputs_;
    fds.push_back({there_.connection().input(), POLLIN, 0});
    const double until = clock_.boot_time() + timeout_s;
    for (;;) {
      if (there_.connection().has_input()) return Wake::told;
      const double left = until - clock_.boot_time();
      if (left <= 0) return Wake::late;
      constexpr double kLongest_s = 60;  // poll() does not count the time that the machine is suspended
      const int ready =
          ::poll(fds.data(), fds.size(), static_cast<int>(std::ceil(std::min(left, kLongest_s) * 1000)));
      if (ready < 0 && errno == EINTR) return Wake::other;
      input_ready_ =
          std::any_of(fds.begin(), fds.end() - 1, [](const pollfd& fd) { return fd.revents != 0; });
      if (input_ready_) return Wake::other;
    }
  }

  const Clock& clock_;
  Numbered there_;
  std::vector<pollfd> inputs_;
  bool watches_guest_ = false;
  bool input_ready_ = false;
  bool jobs_may_have_changed_ = true;
};

class RemoteFile : public GuestFile {
 public:
  RemoteFile(Shared connection, notation::JobId id, std::string name)
      : there_(std::move(connection)), id_(id), name_(std::move(name)) {}

  [[nodiscard]] bool is_open() const override { return is_open_; }
  void try_open() override {
    if (is_open_) return;
    is_open_ =
        there_.connection().ask(fmt::format("open {} {} {}", there_.number(), id_.value, name_)) == "yes";
  }
  [[nodiscard]] std::string_view read_more() override {
    if (!is_open_) return {};
    bytes_ = there_.ask("read");
    return bytes_;
  }

 private:
  Numbered there_;
  notation::JobId id_;
  std::string name_;
  std::string bytes_;
  bool is_open_ = false;
};

class RemoteInput : public JobInput {
 public:
  explicit RemoteInput(Shared connection) : there_(std::move(connection)) {}

  [[nodiscard]] bool open(notation::JobId id, const notation::Idset& ranks, const notation::Idset& closed) {
    const auto set = [](const notation::Idset& ids) { return ids.empty() ? std::string{"-"} : ids.encode(); };
    return there_.ask("input", fmt::format(" {} {} {}", id.value, set(ranks), set(closed))) == "yes";
  }
  void write(std::string_view bytes) override {
    static_cast<void>(there_.ask("write", fmt::format("\n{}", bytes)));
  }
  void close() override { static_cast<void>(there_.ask("close")); }

 private:
  Numbered there_;
};

}  // namespace

RemoteDoor::RemoteDoor(Connect connect, Imp imp, const Greeting& greeting, Told told, const Clock& clock)
    : connect_(std::move(connect)),
      imp_(std::move(imp)),
      greeting_(greeting),
      told_(std::move(told)),
      clock_(clock),
      connection_(std::make_shared<Connection>(connect_(), greeting_, told_)) {}

std::unique_ptr<Waiter> RemoteDoor::waiter(std::span<const notation::JobId> ids) const {
  return std::make_unique<RemoteWaiter>(connection_, ids, clock_);
}

std::unique_ptr<GuestFile> RemoteDoor::guest_file(notation::JobId id, std::string name) const {
  return std::make_unique<RemoteFile>(connection_, id, std::move(name));
}

std::unique_ptr<JobInput> RemoteDoor::input(notation::JobId id, const notation::Idset& ranks,
                                            const notation::Idset& closed) const {
  auto input = std::make_unique<RemoteInput>(connection_);
  if (!input->open(id, ranks, closed)) return nullptr;
  return input;
}

std::optional<meeting::TerminalLink> RemoteDoor::terminal(notation::JobId id) const {
  Connection connection(connect_(), greeting_, told_);
  if (connection.ask(fmt::format("terminal {}", id.value)) != "yes") return std::nullopt;
  return meeting::TerminalLink{connection.release(), meeting::TerminalLink::Packets::streamed};
}

void RemoteDoor::carry_surely(std::size_t kind, const void* request, void* reply, const void* rows) const {
  const request::RequestKind& asked = request::kind_at(kind);
  try {
    return connection_->carry(asked, request, reply, rows);
  } catch (const Gone&) {
    if (!may_be_brief(kind) || !is_brief(kind, request)) throw;
    if (asked.access == request::Access::write && connection_->has_begun()) throw;
  }
  connection_ = std::make_shared<Connection>(connect_(), greeting_, told_);
  connection_->carry(asked, request, reply, rows);
}

void RemoteDoor::carry(std::size_t kind, const void* request, void* reply, const void* rows) const {
  const std::string& signs_for = connection_->welcome().signs_for;
  if (kind != request::kKindOf<request::SubmitRequest> || signs_for.empty()) {
    carry_surely(kind, request, reply, rows);
    return;
  }
  const request::SubmitRequest with_J =
      signed_request(*static_cast<const request::SubmitRequest*>(request), imp_(), signs_for);
  carry_surely(kind, &with_J, reply, rows);
}

}  // namespace fq::door
