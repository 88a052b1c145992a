// Where gates find the engine that stays for others: a socket in the store, and what is said on it first.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file_lock.h"
#include "base/unique_fd.h"

namespace fq::door {

/// Held by the one engine of a store that stays. A gate connects to the socket STORE/door/engine, says `UID
/// GID` and a line feed, of who calls, and goes on as that one once it is answered with one byte; where it is
/// not, it starts an engine itself.
class EnginePlace {
 public:
  /// Nothing where another process has it. Throws Error.
  [[nodiscard]] static std::optional<EnginePlace> take(const std::string& store);
  /// Nobody finds it any more.
  ~EnginePlace();
  EnginePlace(EnginePlace&&) noexcept = default;
  EnginePlace& operator=(EnginePlace&&) = delete;

  /// To be waited on for who comes.
  [[nodiscard]] int input() const { return socket_.get(); }
  /// Who has come, without waiting: its socket does not block. Invalid where nobody has, or only processes of
  /// another user than this one's and root.
  [[nodiscard]] UniqueFd accept() const;
  /// Nobody new comes from now on; who has come by now is still accepted.
  void leave();

  struct Caller {
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
  };
  /// What is said first takes so many bytes at most.
  static constexpr std::size_t kMostSaid = 24;
  /// Throws Error{invalid}.
  [[nodiscard]] static Caller parse(std::string_view line);
  static constexpr char kTaken = 'U';  ///< the answer

 private:
  EnginePlace(FileLock lock, UniqueFd directory, UniqueFd socket)
      : lock_(std::move(lock)), directory_(std::move(directory)), socket_(std::move(socket)) {}

  FileLock lock_;
  UniqueFd directory_;
  UniqueFd socket_;
};

}  // namespace fq::door
