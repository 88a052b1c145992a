// The user's session by PAM (service `fq`): account, credentials, limits; closed at the end.

#pragma once

#include <string>
#include <vector>

#include <security/pam_appl.h>

#include "caller.h"

namespace fq::imp {

class Session {
 public:
  /// Opens it in this process, which gets the user's groups and what PAM sets. Throws Refused where the
  /// account may not be used, Failed.
  explicit Session(const User& user);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// NAME=VALUE: what a login has, and what PAM adds.
  [[nodiscard]] std::vector<std::string> environment() const;

 private:
  void require(int code, const char* what);

  User user_;
  pam_handle_t* pam_ = nullptr;
  bool open_ = false;
};

}  // namespace fq::imp
