// The process manager's side of PMI-1 (RFC 13), as MPICH and its kin expect it: each task has a socket,
// PMI_FD, on which it asks for its place and exchanges keys and values with the others. There is one store of
// keys a job, and all of the job's tasks are this shell's. Processes are not spawned, and names not
// published: such requests are refused.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

#include "base/unique_fd.h"
#include "shell/pmi/wire.h"

namespace fq::shell::pmi {

class Server {
 public:
  /// `mapping` is which task is on which node (RFC 13 §Local Process Group Information).
  Server(std::uint32_t size, std::string kvsname, std::string_view mapping);

  /// The next task's socket; tasks are added by rank. Throws Error.
  [[nodiscard]] UniqueFd add_task();

  /// Adds what is waited for.
  void watch(std::vector<pollfd>& fds) const;
  /// Answers what has come. `ready` is what watch() added, as poll(2) left it.
  void serve(std::span<const pollfd> ready);

  /// A task that wants the program to end: it said so, or does not keep to the protocol.
  struct Abort {
    std::uint32_t rank = 0;
    int exit_code = 1;
    std::string reason;  ///< what it said or did: `called abort`
  };
  /// The first such task.
  [[nodiscard]] const std::optional<Abort>& aborted() const { return aborted_; }

 private:
  struct Client {
    UniqueFd socket;
    Lines lines;
    std::string replies;  ///< not yet sent
    bool began = false;
    bool in_barrier = false;
    std::optional<std::map<std::string, std::string>> spawn;  ///< the lines of a request to spawn, so far
  };

  void read(std::uint32_t rank);
  void take_line(std::uint32_t rank, const std::string& line);
  void answer(std::uint32_t rank, const Message& message);
  void take_spawn_line(Client& client, const std::string& line);
  void put(Client& client, const Message& message);
  void get(Client& client, const Message& message);
  void enter_barrier(Client& client);
  void break_off(std::uint32_t rank, int exit_code, std::string reason);
  static void send(Client& client);

  std::uint32_t size_;
  std::string kvsname_;
  std::map<std::string, std::string, std::less<>> values_;
  std::size_t bytes_ = 0;        ///< of keys and values
  std::vector<Client> clients_;  ///< by rank
  std::uint32_t waiting_ = 0;    ///< in the barrier
  std::optional<Abort> aborted_;
};

}  // namespace fq::shell::pmi
