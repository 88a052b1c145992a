#include "manager/singleton.h"

#include "document/dependency.h"
#include "job/events.h"
#include "manager/post.h"
#include "records/job_index.h"
#include "records/keys.h"

namespace fq::manager {
namespace {

using store::Family;

// Lets the first job go that waits for the name, if nobody has it.
void release_first(Change& change, const NameHold& hold) {
  // Asked first: mostly nobody waits, while many may have had the name, and a scan passes all that is erased.
  std::optional<JobId> first;
  const std::string waiting = records::key::named_prefix(hold.userid, hold.name, true);
  for (const auto at = change.transaction().scan_prefix(Family::index, waiting); at->valid() && !first;
       at->next()) {
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
  const std::string prefix = records::key::named_prefix(userid, name, false);
  return change.transaction().scan_prefix(Family::index, prefix)->valid();
}

void update_name(Change& change, const std::optional<NameHold>& before, const std::optional<NameHold>& now) {
  if (before && now && before->key == now->key) return;
  if (before) change.transaction().erase(Family::index, before->key);
  if (now) change.transaction().put(Family::index, now->key, "");
}

void settle_name(Change& change, const std::optional<NameHold>& before, const std::optional<NameHold>& now) {
  const bool left = before && !before->waits && (!now || now->waits || !same_name(*before, *now));
  if (left) release_first(change, *before);
  // Who waits under another name now may find it free.
  if (before && now && now->waits && !same_name(*before, *now)) release_first(change, *now);
}

}  // namespace fq::manager
