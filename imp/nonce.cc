#include "nonce.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <dirent.h>
#include <fcntl.h>

#include "fd.h"
#include "root_file.h"
#include "signature/refused.h"

namespace fq::imp {

using signature::Refused;

namespace {

constexpr char kState[] = FQ_STATEDIR;
constexpr std::int64_t kPeriod =
    30LL * 24 * 60 * 60;        // notes that expire in the same one are in one directory
constexpr int kForgotten = 64;  // at most, by one job

// A note has one length, so that one write replaces it: `began` or `given back`, the last attempt, how many
// began since one ran, how many ran again.
constexpr char kForm[] = "%c %010u %010u %010u\n";
constexpr std::size_t kSize = 35;

}  // namespace

Nonce::Nonce(const signature::SignedRequest& request, std::uint64_t index) {
  const Fd state = open_root_directory(kState);
  const std::string period = std::to_string(request.expiry / kPeriod);
  directory_ = open_root_directory(state.get(), period, kState + ("/" + period));
  file_ = open_locked(directory_.get(), request.nonce + "." + std::to_string(index));
}

void Nonce::begin(std::uint32_t attempt, const signature::SignedRequest& request) {
  char text[kSize + 1] = {};
  const ssize_t size = ::pread(file_.get(), text, kSize, 0);
  if (size < 0) throw Failed("cannot read a nonce");
  if (size > 0) {
    char state = 'b';
    const bool is_whole = std::sscanf(text, "%c %u %u %u", &state, &attempt_, &starts_, &reruns_) == 4;
    const bool has_run = !is_whole || state != 'g';
    if (has_run && (!is_whole || reruns_ >= request.reruns))
      throw Refused(request.reruns == 0 ? "this request has run already"
                                        : "this request has run as often as it allows");
    if (attempt <= attempt_) throw Refused("attempt " + std::to_string(attempt) + " of this request is over");
    if (has_run) {
      ++reruns_;
      starts_ = 0;
    }
    if (starts_ > request.restarts) throw Refused("this request was started as often as it allows");
  }
  attempt_ = attempt;
  ++starts_;
  write('b');
}

void Nonce::give_back() {
  if (file_.valid()) write('g');
}

void Nonce::write(char state) {
  char text[kSize + 1];
  std::snprintf(text, sizeof text, kForm, state, attempt_, starts_, reruns_);
  if (::pwrite(file_.get(), text, kSize, 0) != static_cast<ssize_t>(kSize) || ::fsync(file_.get()) != 0 ||
      ::fsync(directory_.get()) != 0) {
    throw Failed("cannot keep a nonce");
  }
}

void forget_expired() {
  const Fd state = open_root_directory(kState);
  const std::int64_t now = std::time(nullptr) / kPeriod;
  DIR* periods = ::fdopendir(::dup(state.get()));
  int left = kForgotten;
  while (const dirent* period = periods != nullptr && left > 0 ? ::readdir(periods) : nullptr) {
    // A period more, for clocks that are set back.
    if (period->d_name[0] == '.' || std::strtoll(period->d_name, nullptr, 10) + 1 >= now) continue;
    const int fd = ::openat(state.get(), period->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* notes = fd < 0 ? nullptr : ::fdopendir(fd);
    while (const dirent* note = notes != nullptr && left > 0 ? ::readdir(notes) : nullptr) {
      if (note->d_name[0] != '.' && ::unlinkat(fd, note->d_name, 0) == 0) --left;
    }
    if (notes != nullptr) ::closedir(notes);
    ::unlinkat(state.get(), period->d_name, AT_REMOVEDIR);
  }
  if (periods != nullptr) ::closedir(periods);
}

}  // namespace fq::imp
