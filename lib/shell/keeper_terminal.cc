// Who looks at the job's terminal, which the user's half has. See looker_relays.h.

#include "base/error.h"
#include "meeting/terminal_link.h"
#include "shell/keeper_run.h"

namespace fq::shell {
namespace {

constexpr std::size_t kMostRelayed = 64;

}  // namespace

void Keeper::open_terminal() {
  if (relays_) throw Error{Kind::invalid, "there is a terminal already"};
  relays_.emplace(*wire_);
  listening_ = meeting::listen_for_lookers(files_, launch_.id);
}

void Keeper::watch_lookers(std::vector<pollfd>& fds) const {
  if (!relays_) return;
  if (listening_.valid() && relays_->size() < kMostRelayed) fds.push_back({listening_.get(), POLLIN, 0});
  relays_->watch(fds);
}

void Keeper::serve_lookers() {
  if (!relays_) return;
  while (listening_.valid() && relays_->size() < kMostRelayed) {
    UniqueFd socket = meeting::accept_looker(listening_);
    if (!socket.valid()) break;
    relays_->add(++last_looker_, meeting::TerminalLink{std::move(socket)});
    wire_->send({"look-begin", std::to_string(last_looker_)});
  }
  relays_->serve();
}

void Keeper::end_terminal() {
  if (!relays_) return;
  if (listening_.valid()) {
    meeting::remove_terminal_socket(files_, launch_.id);
    meeting::refuse_lookers(listening_);
    listening_.reset();
  }
  relays_->end();
}

}  // namespace fq::shell
