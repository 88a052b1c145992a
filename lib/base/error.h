// The one exception type of the library. It says what was wrong in words for the user; the kind decides
// the exit code. The library throws it; cli::run_tool is the one place that catches it.

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace fq {

enum class Kind {
  usage,            ///< the command line does not fit the command's options
  combination,      ///< options, right each by itself, that do not go together or lack another one
  invalid,          ///< a document, id or value that does not follow its form
  refused,          ///< well-formed, but a limit, a state or a policy forbids it
  not_found,        ///< names a job, queue, file or store that is not there
  permission,       ///< the caller may not do this
  timeout,          ///< a deadline passed, the lock's included
  unavailable,      ///< the store cannot be used: newer version, other machine, network file system
  no_space,         ///< the disk is full
  exhausted,        ///< no processes, descriptors or memory are left; later there may be
  io,               ///< the operating system or the database refused an operation
  unknown_outcome,  ///< a write failed and the store cannot be opened to see whether it was kept
  internal,         ///< a fault of fq itself
};

/// The exit code that a command returns for an error of this kind: 2 usage and combination, 124 timeout,
/// else 1.
[[nodiscard]] int exit_code(Kind kind);

/// What went wrong, for the user: lower case, the offending value quoted, and what would be right. One line,
/// whatever the message was made from: control characters and invalid UTF-8 in it are escaped.
class Error : public std::runtime_error {
 public:
  Error(Kind kind, std::string_view message, std::string_view hint = {});

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  /// A second sentence that helps (`did you mean 'debug'?`), or empty.
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

  /// The same error with `prefix: ` in front of its message.
  [[nodiscard]] Error within(std::string_view prefix) const;

 private:
  Kind kind_;
  std::string hint_;
};

/// Error{kind, fmt::format(...)}, ready to throw.
template <typename... Args>
[[nodiscard]] Error error(Kind kind, fmt::format_string<Args...> format, Args&&... args) {
  return Error{kind, fmt::format(format, std::forward<Args>(args)...)};
}

/// Error for a failed system call: `what: <strerror(errno_value)>`. ENOSPC and EDQUOT become no_space,
/// EACCES and EPERM permission, ENOENT not_found, EAGAIN, ENOMEM, EMFILE and ENFILE exhausted, the rest io.
[[nodiscard]] Error system_error(std::string_view what, int errno_value);

}  // namespace fq
