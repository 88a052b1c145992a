// The first words on a connection.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fq::door {

inline constexpr int kProtocol = 1;

/// Of who asks.
struct Greeting {
  std::string command;        ///< `fq-submit`: what the lock file says of the holder
  double lock_timeout_s = 0;  ///< infinity: waits for ever
  bool damaged = false;       ///< what can be read of a damaged store is wanted
};
[[nodiscard]] std::string encode_greeting(const Greeting& greeting);
/// Throws Error{invalid}; Error{unavailable} for another protocol.
[[nodiscard]] Greeting decode_greeting(std::string_view text);

/// Of who answers.
struct Welcome {
  std::uint32_t userid = 0;  ///< the user that it takes the other for
  std::string signs_for;     ///< the name that jobs are signed for; empty: they run as who answers
};
[[nodiscard]] std::string encode_welcome(const Welcome& welcome);
/// Throws as that.
[[nodiscard]] Welcome decode_welcome(std::string_view text);

}  // namespace fq::door
