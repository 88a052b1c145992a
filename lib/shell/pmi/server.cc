#include "shell/pmi/server.h"

#include <array>
#include <cerrno>

#include <fmt/core.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::shell::pmi {
namespace {

// Sizes with the final NUL, as a task is told them; MPICH takes its own process manager's for granted.
constexpr int kMaxName = 256;
constexpr std::size_t kMaxKey = 64;
constexpr std::size_t kMaxValue = 1024;
// What each task may put, at most, and all of them for small jobs.
constexpr std::size_t kBytesEach = 65536;
constexpr std::size_t kBytesAtLeast = 1U << 20U;
// Answers that a task does not read: it does not wait for its own requests.
constexpr std::size_t kMostReplies = 65536;

}  // namespace

Server::Server(std::uint32_t size, std::string kvsname, std::string_view mapping)
    : size_(size), kvsname_(std::move(kvsname)) {
  // One that is too long for a value is unknown to the tasks.
  values_["PMI_process_mapping"] = mapping.size() < kMaxValue ? std::string{mapping} : "";
  clients_.reserve(size);
}

UniqueFd Server::add_task() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw system_error("cannot make a socket for PMI", errno);
  clients_.push_back({.socket = UniqueFd{ends[0]}, .lines = {}, .replies = {}, .spawn = {}});
  return UniqueFd{ends[1]};
}

void Server::watch(std::vector<pollfd>& fds) const {
  for (const Client& client : clients_) {
    if (!client.socket.valid()) continue;
    const bool full = client.replies.size() > kMostReplies;
    fds.push_back({client.socket.get(),
                   static_cast<short>((full ? 0 : POLLIN) | (client.replies.empty() ? 0 : POLLOUT)), 0});
  }
}

void Server::serve(std::span<const pollfd> ready) {
  for (std::uint32_t rank = 0; rank < clients_.size() && !ready.empty(); ++rank) {
    if (clients_[rank].socket.get() != ready.front().fd) continue;
    if (ready.front().revents != 0) read(rank);
    ready = ready.subspan(1);
  }
  for (Client& client : clients_) send(client);
}

void Server::read(std::uint32_t rank) {
  Client& client = clients_[rank];
  std::array<char, 4096> buffer{};
  while (client.socket.valid() && client.replies.size() <= kMostReplies) {
    const ssize_t n = ::recv(client.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      client.socket.reset();  // what that means is said by how the task ends
      return;
    }
    client.lines.add({buffer.data(), static_cast<std::size_t>(n)});
    while (const auto line = client.lines.next()) {
      take_line(rank, *line);
      if (!client.socket.valid()) return;
    }
    if (client.lines.is_broken()) break_off(rank, 1, "sent a line without end");
  }
}

void Server::take_line(std::uint32_t rank, const std::string& line) {
  Client& client = clients_[rank];
  if (client.spawn) return take_spawn_line(client, line);
  const auto message = Message::decode(line);
  if (message && message->find("mcmd") == "spawn") {
    client.spawn.emplace();
  } else if (message && message->find("cmd")) {
    answer(rank, *message);
  } else {
    break_off(rank, 1, fmt::format("sent {}", quote(line)));
  }
}

void Server::take_spawn_line(Client& client, const std::string& line) {
  constexpr std::size_t kMostLines = 4096;
  if (line != "endcmd") {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos && client.spawn->size() < kMostLines)
      (*client.spawn)[line.substr(0, equals)] = line.substr(equals + 1);
    return;
  }
  // A request may have several parts, of which the last is answered.
  if ((*client.spawn)["spawnssofar"] == (*client.spawn)["totspawns"])
    client.replies += "cmd=spawn_result rc=-1 msg=processes_are_not_spawned\n";
  client.spawn.reset();
}

void Server::answer(std::uint32_t rank, const Message& message) {
  Client& client = clients_[rank];
  const std::string_view command = *message.find("cmd");
  if (command == "init") {
    const int version = message.find_number("pmi_version").value_or(0);
    client.began = true;
    client.replies +=
        fmt::format("cmd=response_to_init pmi_version=1 pmi_subversion=1 rc={}\n", version < 1 ? -1 : 0);
  } else if (!client.began) {
    break_off(rank, 1, fmt::format("sent {} before it began", quote(command)));
  } else if (command == "get_maxes") {
    client.replies += fmt::format("cmd=maxes rc=0 kvsname_max={} keylen_max={} vallen_max={}\n", kMaxName,
                                  kMaxKey, kMaxValue);
  } else if (command == "get_universe_size") {
    client.replies += fmt::format("cmd=universe_size rc=0 size={}\n", size_);
  } else if (command == "get_appnum") {
    client.replies += "cmd=appnum rc=0 appnum=0\n";
  } else if (command == "get_my_kvsname") {
    client.replies += fmt::format("cmd=my_kvsname rc=0 kvsname={}\n", kvsname_);
  } else if (command == "put") {
    put(client, message);
  } else if (command == "get") {
    get(client, message);
  } else if (command == "barrier_in") {
    enter_barrier(client);
  } else if (command == "finalize") {
    client.replies += "cmd=finalize_ack rc=0\n";
  } else if (command == "abort") {
    const std::string said{message.find("msg").value_or(message.find("error_msg").value_or(""))};
    break_off(rank, message.find_number("exitcode").value_or(1),
              said.empty() ? "called abort" : fmt::format("called abort: {}", said));
  } else if (command == "publish_name") {
    client.replies += "cmd=publish_result rc=-1 msg=names_are_not_published\n";
  } else if (command == "unpublish_name") {
    client.replies += "cmd=unpublish_result rc=-1 msg=names_are_not_published\n";
  } else if (command == "lookup_name") {
    client.replies += "cmd=lookup_result rc=-1 msg=names_are_not_published\n";
  } else {
    break_off(rank, 1, fmt::format("sent the unknown command {}", quote(command)));
  }
}

void Server::put(Client& client, const Message& message) {
  const auto key = message.find("key");
  const auto value = message.find("value");
  std::string_view wrong;
  if (message.find("kvsname") != kvsname_) {
    wrong = "unknown_kvsname";
  } else if (!key || key->empty() || key->size() >= kMaxKey) {
    wrong = "invalid_key";
  } else if (!value || value->size() >= kMaxValue) {
    wrong = "invalid_value";
  } else if (bytes_ + key->size() + value->size() > kBytesAtLeast + kBytesEach * size_) {
    wrong = "too_much";
  } else if (!values_.emplace(*key, *value).second) {
    wrong = "duplicate_key";
  } else {
    bytes_ += key->size() + value->size();
  }
  client.replies += wrong.empty() ? std::string{"cmd=put_result rc=0 msg=success\n"}
                                  : fmt::format("cmd=put_result rc=-1 msg={}\n", wrong);
}

void Server::get(Client& client, const Message& message) {
  const auto found = values_.find(message.find("key").value_or(""));
  if (message.find("kvsname") != kvsname_) {
    client.replies += "cmd=get_result rc=-1 msg=unknown_kvsname\n";
  } else if (found == values_.end()) {
    client.replies += "cmd=get_result rc=-1 msg=key_not_found\n";
  } else {
    client.replies += fmt::format("cmd=get_result rc=0 msg=success value={}\n", found->second);
  }
}

void Server::enter_barrier(Client& client) {
  if (!std::exchange(client.in_barrier, true)) ++waiting_;
  if (waiting_ < size_) return;
  waiting_ = 0;
  for (Client& each : clients_) {
    if (std::exchange(each.in_barrier, false) && each.socket.valid())
      each.replies += "cmd=barrier_out rc=0\n";
  }
}

void Server::break_off(std::uint32_t rank, int exit_code, std::string reason) {
  clients_[rank].socket.reset();
  if (!aborted_) aborted_ = Abort{rank, exit_code, std::move(reason)};
}

void Server::send(Client& client) {
  while (client.socket.valid() && !client.replies.empty()) {
    const ssize_t n = ::send(client.socket.get(), client.replies.data(), client.replies.size(),
                             MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) client.socket.reset();
    if (n > 0) client.replies.erase(0, static_cast<std::size_t>(n));
  }
}

}  // namespace fq::shell::pmi
