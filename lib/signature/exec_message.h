// What fq-imp is told of a job beside the signed request, and what it hands to the user's half of the shell.
// Both are fields (fields.h), the message with its size before it.
//
//   message = SIZE ":" fields        fields = store id attempt end R J index values proof [number]
//   job     = id attempt end R payload count index values
//
// Numbers are decimal; the last, by which a store is told from others that had its name, is not there in
// messages of versions that knew none. `R` has a line `RANK HOST CORES GPUS` for each node, in the order of
// ranks: cores and GPUs are idsets (RFC 22), or `-`. So nothing comes to a user's process unsigned but
// numbers and names of hosts, and what the job reads: its input, where it takes any from a command, and what
// is typed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fq::signature {

inline constexpr std::size_t kMostMessage = 16U << 20;

struct ExecMessage {
  std::string store;
  std::uint64_t id = 0;
  std::uint32_t attempt = 1;
  std::uint64_t end = 0;  ///< seconds since the epoch; 0: none
  std::string R;
  std::string J;
  std::uint64_t index = 0;  ///< of a job of many; else 0, and no values and no proof
  std::string values;
  std::string proof;
  std::uint64_t number = 0;  ///< of the store; 0: none is known

  friend bool operator==(const ExecMessage&, const ExecMessage&) = default;
};

/// With its size.
[[nodiscard]] std::string encode_message(const ExecMessage& message);
/// Without. Throws Refused for whatever is no number, name or R.
[[nodiscard]] ExecMessage decode_message(std::string_view fields);

struct SignedJob {
  std::uint64_t id = 0;
  std::uint32_t attempt = 1;
  std::uint64_t end = 0;
  std::string R;
  std::string payload;      ///< the jobspec or, where count is not 0, a template
  std::uint64_t count = 0;  ///< of jobs in the request
  std::uint64_t index = 0;
  std::string values;

  friend bool operator==(const SignedJob&, const SignedJob&) = default;
};

[[nodiscard]] std::string encode_job(const SignedJob& job);
[[nodiscard]] SignedJob decode_job(std::string_view fields);

}  // namespace fq::signature
