#include "manager/core/singleton.h"

#include <algorithm>
#include <map>
#include <memory>

#include "document/jobspec/dependency.h"
#include "job/events.h"
#include "manager/core/post.h"
#include "records/job_index.h"
#include "records/keys.h"

namespace fq::manager {
namespace {

using store::Family;

// Where to look for the first index key that begins with a prefix: those before it were erased, and a scan
// passes every erased one.
struct FirstNamed {
  std::map<std::string, std::string> by_prefix;

  std::string& of(const std::string& prefix) { return by_prefix.try_emplace(prefix, prefix).first->second; }
};

// The jobs that have the name, or that wait for it, by id.
std::unique_ptr<store::Cursor> scan_named(Change& change, std::uint32_t userid, std::string_view name,
                                          bool waits) {
  const std::string prefix = records::key::named_prefix(userid, name, waits);
  const std::string end = store::prefix_end(prefix);
  std::string& first = change.kept<FirstNamed>().of(prefix);
  auto at = change.transaction().scan(Family::index, first, end);
  first = at->valid() ? std::string{at->key()} : end;
  return at;
}

// Lets the first job go that waits for the name, if nobody has it.
void release_first(Change& change, const NameHold& hold) {
  // Asked first: mostly nobody waits, while many may have had the name, and a scan passes all that is erased.
  std::optional<JobId> first;
  for (const auto at = scan_named(change, hold.userid, hold.name, true); at->valid() && !first; at->next()) {
    const JobId id = records::key::indexed_job(at->key());
    if (change.job(id).state == job::State::depend) first = id;
  }
  if (!first || name_is_taken(change, hold.userid, hold.name)) return;
  const std::string singleton = document::describe({.kind = document::DependencyKind::singleton});
  post(change, *first, job::events::dependency_remove(change.now(), singleton));
}

bool same_name(const NameHold& a, const NameHold& b) {
  return a.userid == b.userid && a.name == b.name;
}

}  // namespace

std::optional<NameHold> name_hold(const job::Job& job) {
  auto key = records::named_key(job);
  if (!key) return std::nullopt;
  return NameHold{job.name, job.userid, records::waits_for_name(job), *std::move(key)};
}

bool name_is_taken(Change& change, std::uint32_t userid, std::string_view name) {
  return scan_named(change, userid, name, false)->valid();
}

void update_name(Change& change, const std::optional<NameHold>& before, const std::optional<NameHold>& now) {
  if (before && now && before->key == now->key) return;
  if (before) change.transaction().erase(Family::index, before->key);
  if (!now) return;
  change.transaction().put(Family::index, now->key, "");
  std::string& first =
      change.kept<FirstNamed>().of(records::key::named_prefix(now->userid, now->name, now->waits));
  first = std::min(first, now->key);
}

void settle_name(Change& change, const std::optional<NameHold>& before, const std::optional<NameHold>& now) {
  const bool left = before && !before->waits && (!now || now->waits || !same_name(*before, *now));
  if (left) release_first(change, *before);
  // Who waits under another name now may find it free.
  if (before && now && now->waits && !same_name(*before, *now)) release_first(change, *now);
}

}  // namespace fq::manager
