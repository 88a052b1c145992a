#include "shell/said_guest.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"

namespace fq::shell {

void SaidGuest::add(const std::string& name, std::string_view bytes) {
  auto found = documents_.find(name);
  if (found == documents_.end()) {
    if (!meeting::is_own_guest_name(name) || documents_.size() >= meeting::kMaxOwnFiles)
      throw error(Kind::invalid, "{} is no guest document", quote(name.substr(0, 100)));
    found = documents_.emplace(name, Document{}).first;
    found->second.fd = create(name);
    if (!found->second.fd.valid()) left_out_.add(name, std::strerror(errno));
  }
  Document& document = found->second;
  if (!document.fd.valid()) return;
  document.size += bytes.size();
  sum_ += bytes.size();
  if (document.size > meeting::kMaxOwnFileBytes || sum_ > meeting::kMaxOwnBytes)
    throw error(Kind::invalid, "{} is larger than a guest document may be", quote(name));
  if (sum_ > most_) return give_up(name, document, "more than the user may have in the store");
  while (!bytes.empty()) {
    const ssize_t n = ::write(document.fd.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return give_up(name, document, std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

// What an attempt before had put there is not this one's.
UniqueFd SaidGuest::create(const std::string& name) const {
  const std::string path = directory_ + "/" + name;
  ::unlink(path.c_str());
  return UniqueFd{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
}

void SaidGuest::give_up(const std::string& name, Document& document, std::string_view why) {
  left_out_.add(name, why);
  sum_ -= document.size;
  ::unlink((directory_ + "/" + name).c_str());
  document = Document{};
}

}  // namespace fq::shell
