// What a process still says when it is ended for its processor time (RLIMIT_CPU, SIGXCPU).

#pragma once

#include <string_view>

namespace fq::process {

/// From now on a process whose processor time is over sends `words` on the socket, between two things that
/// are sent there, and then ends by SIGXCPU. What does not fit into a kilobyte is left out whole. The socket
/// is to stay open.
void set_last_words(int socket, std::string_view words);

/// While this lives something is being sent on the socket, which last words would tear: they come at its end.
class Sending {
 public:
  Sending();
  ~Sending();
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
};

}  // namespace fq::process
