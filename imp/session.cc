#include "session.h"

#include <cstdlib>

#include <grp.h>

#include "fd.h"
#include "signature/refused.h"

namespace fq::imp {
namespace {

// Nobody is there to be asked; what a module tells is let go.
int converse(int count, const pam_message** messages, pam_response** responses, void*) {
  for (int i = 0; i < count; ++i) {
    const int style = messages[i]->msg_style;
    if (style == PAM_PROMPT_ECHO_OFF || style == PAM_PROMPT_ECHO_ON) return PAM_CONV_ERR;
  }
  *responses = static_cast<pam_response*>(std::calloc(static_cast<std::size_t>(count), sizeof(pam_response)));
  return *responses == nullptr ? PAM_BUF_ERR : PAM_SUCCESS;
}
const pam_conv kConversation{converse, nullptr};

}  // namespace

Session::Session(const User& user) : user_(user) {
  if (::initgroups(user.name.c_str(), user.gid) != 0) throw Failed("cannot set the user's groups");
  require(::pam_start("fq", user.name.c_str(), &kConversation, &pam_), "begin");
  ::pam_putenv(pam_, "XDG_SESSION_CLASS=background");
  if (const int code = ::pam_acct_mgmt(pam_, PAM_SILENT); code != PAM_SUCCESS) {
    const std::string why = ::pam_strerror(pam_, code);
    ::pam_end(pam_, code);
    throw signature::Refused("the account of '" + user.name + "' may not be used: " + why);
  }
  require(::pam_setcred(pam_, PAM_ESTABLISH_CRED | PAM_SILENT), "set the credentials of");
  require(::pam_open_session(pam_, PAM_SILENT), "open");
  open_ = true;
}

Session::~Session() {
  if (!open_) return;
  ::pam_close_session(pam_, PAM_SILENT);
  ::pam_setcred(pam_, PAM_DELETE_CRED | PAM_SILENT);
  ::pam_end(pam_, PAM_SUCCESS);
}

void Session::require(int code, const char* what) {
  if (code == PAM_SUCCESS) return;
  const std::string why = pam_ == nullptr ? "PAM" : ::pam_strerror(pam_, code);
  if (pam_ != nullptr) ::pam_end(pam_, code);
  throw Failed("cannot " + std::string{what} + " the session: " + why, EPERM);
}

std::vector<std::string> Session::environment() const {
  std::vector<std::string> variables{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + user_.home,
                                     "USER=" + user_.name, "LOGNAME=" + user_.name, "SHELL=" + user_.shell};
  char** added = ::pam_getenvlist(pam_);
  for (char** variable = added; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::string name = text.substr(0, text.find('=') + 1);
    std::erase_if(variables, [&](const std::string& own) { return own.starts_with(name); });
    variables.push_back(text);
    std::free(*variable);
  }
  std::free(added);
  return variables;
}

}  // namespace fq::imp
