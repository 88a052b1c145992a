#include "base/error.h"

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace fq {

int exit_code(Kind kind) {
  switch (kind) {
    case Kind::usage:
    case Kind::combination:
      return 2;
    case Kind::timeout:
      return 124;
    default:
      return 1;
  }
}

Error::Error(Kind kind, std::string_view message, std::string_view hint)
    : std::runtime_error(printable(message)), kind_(kind), hint_(printable(hint)) {}

Error Error::within(std::string_view prefix) const {
  return Error{kind_, fmt::format("{}: {}", prefix, what()), hint_};
}

Error system_error(std::string_view what, int errno_value) {
  Kind kind = Kind::io;
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
      kind = Kind::no_space;
      break;
    case EACCES:
    case EPERM:
      kind = Kind::permission;
      break;
    case ENOENT:
      kind = Kind::not_found;
      break;
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      kind = Kind::exhausted;
      break;
    default:
      break;
  }
  return error(kind, "{}: {}", what, std::strerror(errno_value));
}

}  // namespace fq
