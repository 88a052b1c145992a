#include "process/signals/last_words.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fq::process {
namespace {

constexpr int kPatience_ms = 1000;  // for a reader that takes nothing

// What the handler needs: on whichever thread, at any instruction.
std::array<char, 1024> words_of_process{};
std::atomic<std::size_t> words_size = 0;
std::atomic<int> words_socket = -1;
std::atomic<bool> is_sending = false, is_over = false;
std::atomic_flag is_ending;

// Nothing else is sent meanwhile.
void say_and_end() {
  if (is_ending.test_and_set()) return;
  const int socket = words_socket;
  const std::size_t size = words_size;
  for (std::size_t said = 0; said < size;) {
    pollfd writable{socket, POLLOUT, 0};
    if (::poll(&writable, 1, kPatience_ms) <= 0) break;
    const ssize_t n =
        ::send(socket, words_of_process.data() + said, size - said, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EINTR && errno != EAGAIN) break;
    if (n > 0) said += static_cast<std::size_t>(n);
  }
  ::signal(SIGXCPU, SIG_DFL);
  ::kill(::getpid(), SIGXCPU);
}

void on_time_over(int) {
  const int reason = errno;
  is_over = true;
  if (!is_sending) say_and_end();
  errno = reason;
}

}  // namespace

void set_last_words(int socket, std::string_view words) {
  words_size = 0;
  if (words.size() > words_of_process.size()) return;
  words_socket = socket;
  std::memcpy(words_of_process.data(), words.data(), words.size());
  words_size = words.size();
  struct sigaction action {};
  action.sa_handler = on_time_over;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGXCPU, &action, nullptr);
}

Sending::Sending() {
  is_sending = true;
  while (is_over && is_ending.test()) ::pause();  // another thread has begun to say it
}

Sending::~Sending() {
  is_sending = false;
  if (is_over) say_and_end();
}

}  // namespace fq::process
