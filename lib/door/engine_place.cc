#include "door/engine_place.h"

#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace fq::door {
namespace {

constexpr auto kSocketName = "engine";
constexpr int kBacklog = 128;

std::uint32_t parse_id(std::string_view text) {
  const auto number = parse_u64(text);
  if (!number || *number >= UINT32_MAX) throw error(Kind::invalid, "expected an id, got {}", quote(text));
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

std::optional<EnginePlace> EnginePlace::take(const std::string& store) {
  const std::string path = store + "/door";
  make_directory(path);
  auto lock = FileLock::try_acquire(path + "/engine.lock", LockMode::exclusive);
  if (!lock) return std::nullopt;
  // The name of a socket may have 107 bytes and that of a store more.
  UniqueFd directory{::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  fmt::format("/proc/self/fd/{}/{}", directory.get(), kSocketName)
      .copy(name.sun_path, sizeof name.sun_path - 1);
  UniqueFd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  // That of one that was killed.
  ::unlinkat(directory.get(), kSocketName, 0);
  if (!directory.valid() || !socket.valid() ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
      ::listen(socket.get(), kBacklog) != 0)
    throw system_error("cannot make the socket " + quote(path + "/" + kSocketName), errno);
  return EnginePlace{std::move(*lock), std::move(directory), std::move(socket)};
}

EnginePlace::~EnginePlace() {
  if (socket_.valid()) leave();
}

UniqueFd EnginePlace::accept() const {
  for (;;) {
    UniqueFd come{::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!come.valid()) return come;
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(come.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
        (peer.uid == ::geteuid() || peer.uid == 0))
      return come;
  }
}

void EnginePlace::leave() {
  ::unlinkat(directory_.get(), kSocketName, 0);
}

EnginePlace::Caller EnginePlace::parse(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) throw error(Kind::invalid, "expected UID GID, got {}", quote(line));
  return {parse_id(line.substr(0, space)), parse_id(line.substr(space + 1))};
}

}  // namespace fq::door
