#include "manager/core/shares.h"

#include <algorithm>
#include <cmath>

#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/core/caller_names.h"
#include "manager/core/permission.h"
#include "records/instance.h"
#include "records/job_table.h"
#include "records/queues.h"
#include "store/store_lock.h"

namespace fq::manager {

namespace {

std::uint64_t pending_jobs(const store::Reader& reader, std::uint32_t userid) {
  std::uint64_t sum = 0;
  const auto counts = records::read_counts(reader, {userid, std::nullopt});
  for (const char* status : {"D", "P", "S"}) {
    if (const auto at = counts.find(status); at != counts.end()) sum += at->second;
  }
  return sum;
}

void require_jobs_left(Change& change, std::uint64_t most, std::uint64_t more) {
  if (most == 0 || more == 0) return;
  const std::uint32_t userid = change.caller().uid;
  const std::uint64_t pending = pending_jobs(change.transaction(), userid);
  if (pending + more <= most || !has_share(change)) return;
  const std::uint64_t left = most - std::min(pending, most);
  throw Error{Kind::refused,
              fmt::format("user {} has {} of at most {}: {} more would be too many", userid,
                          counted(pending, "pending job"), most, more),
              left == 0 ? "wait until some have started" : fmt::format("{} can be submitted now", left)};
}

void require_bytes_left(Change& change, std::uint64_t most) {
  if (most == 0) return;
  const std::uint32_t userid = change.caller().uid;
  const std::uint64_t stored = records::stored_bytes(change.transaction(), userid);
  if (stored < most || !has_share(change)) return;
  throw Error{Kind::refused,
              fmt::format("jobs of user {} have {} bytes of at most {} in the store", userid, stored, most),
              "those that have ended must be purged first; --output=FILE keeps output elsewhere"};
}

void require_disk_left(Change& change, std::uint64_t reserve) {
  struct statvfs info {};
  const std::string& store = change.session().store;
  if (reserve == 0 || ::statvfs(store.c_str(), &info) != 0) return;
  const std::uint64_t left = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  if (left >= reserve || !has_share(change)) return;
  throw error(Kind::refused,
              "the disk of the store {} has {} bytes left, and {} are kept for the ends of jobs",
              quote(store), left, reserve);
}

// A quarter of the processors.
std::uint64_t readers_at_once() {
  constexpr long kFewest = 2, kOfProcessors = 4;
  return static_cast<std::uint64_t>(std::max(kFewest, ::sysconf(_SC_NPROCESSORS_ONLN) / kOfProcessors));
}

}  // namespace

bool has_share(Change& change) {
  return change.session().signatures != nullptr && !is_operator(change);
}

std::optional<std::string> share_lock_path(const Session& session, std::string_view suffix) {
  constexpr std::uint32_t kRoot = 0;
  if (session.signatures == nullptr || session.caller.uid == kRoot) return std::nullopt;
  const std::string directory = session.store + "/door";
  make_directory(directory);
  return fmt::format("{}/{}{}", directory, session.caller.uid, suffix);
}

void require_share(Change& change, std::uint64_t more_jobs) {
  if (change.session().signatures == nullptr || is_owner(change.caller(), change.info().owner)) return;
  const document::Shares shares = records::read_access(change.transaction()).shares;
  require_jobs_left(change, shares.pending_jobs, more_jobs);
  require_bytes_left(change, shares.bytes);
  require_disk_left(change, shares.disk_reserve);
}

std::optional<document::Shares> shares_of(const Session& session) {
  std::optional<document::Shares> shares;
  with_names(session, [&](const Session& with) {
    query(with, [&](const store::Reader& reader) {
      shares.reset();
      if (!is_operator(reader, with.caller)) shares = records::read_access(reader).shares;
    });
  });
  return shares;
}

ProcessorTime::ProcessorTime(const Session& session, const store::Reader& reader) {
  if (session.signatures == nullptr || is_owner(session.caller, records::read_store_info(reader).owner))
    return;
  const double most = records::read_access(reader).shares.processor_time_s;
  rlimit limit{};
  rusage used{};
  if (most == 0 || ::getrlimit(RLIMIT_CPU, &limit) != 0 || ::getrusage(RUSAGE_SELF, &used) != 0) return;
  before_ = limit;
  if (session.last_words)
    session.last_words(
        error(Kind::refused,
              "a request of user {} may take {:g} seconds of processor time, and this one took "
              "more: it was ended",
              session.caller.uid, most));
  const auto seconds = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1);
  limit.rlim_cur = std::min(limit.rlim_max, seconds + static_cast<rlim_t>(std::ceil(most)));
  ::setrlimit(RLIMIT_CPU, &limit);
}

ProcessorTime::~ProcessorTime() {
  if (before_) ::setrlimit(RLIMIT_CPU, &*before_);
}

std::optional<FileLock> await_turn(const Session& session) {
  constexpr double kSoon_s = 1;
  const auto path = share_lock_path(session, ".turn");
  if (!path) return std::nullopt;
  const double soon_s = std::min(kSoon_s, session.lock_timeout_s);
  auto turn = FileLock::acquire(*path, LockMode::exclusive, soon_s);
  if (!turn) {
    if (session.notices.waiting) session.notices.waiting(store::lock_holder(session.store));
    turn = FileLock::acquire(*path, LockMode::exclusive, session.lock_timeout_s - soon_s);
  }
  if (!turn)
    throw error(Kind::timeout, "the store {} stayed locked for {} s by other commands of user {}",
                quote(session.store), session.lock_timeout_s, session.caller.uid);
  return turn;
}

std::optional<PlaceLock> await_reading(const Session& session) {
  constexpr double kFirstPause_s = 0.001, kLastPause_s = 0.05;
  const auto path = share_lock_path(session, ".reading");
  if (!path) return std::nullopt;
  const std::uint64_t places = readers_at_once();
  const double deadline = session.clock->boot_time() + session.lock_timeout_s;
  for (double pause_s = kFirstPause_s;; pause_s = std::min(2 * pause_s, kLastPause_s)) {
    if (auto place = PlaceLock::try_acquire(*path, places)) return place;
    const double left_s = deadline - session.clock->boot_time();
    if (left_s <= 0)
      throw error(Kind::timeout, "the store {} was being read for {} s by {} other commands of user {}",
                  quote(session.store), session.lock_timeout_s, places, session.caller.uid);
    pause_for(std::min(pause_s, left_s));
  }
}

std::optional<std::uint64_t> bytes_left(Change& change, std::uint32_t userid) {
  const std::uint64_t most = records::read_access(change.transaction()).shares.bytes;
  if (most == 0) return std::nullopt;
  return most - std::min(most, records::stored_bytes(change.transaction(), userid));
}

}  // namespace fq::manager
