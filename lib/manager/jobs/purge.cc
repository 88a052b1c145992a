#include "manager/jobs/purge.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/error.h"
#include "base/try_to.h"
#include "manager/core/bulk.h"
#include "manager/core/log_act.h"
#include "manager/core/permission.h"
#include "manager/jobs/job_archive.h"
#include "manager/look/query.h"
#include "manager/run/guest_data.h"
#include "records/instance.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/purged.h"
#include "records/queues.h"
#include "records/store_time.h"
#include "records/waitable.h"

namespace fq::manager {

using store::Family;

class Purging {
 public:
  static void remove_job(Change& change, JobId id) { change.remove_job(id, {}); }
};

namespace {

/// What purge_some removes at once, and how long it leaves jobs alone that have ended.
constexpr std::size_t kSome = 32;
constexpr double kGrace_s = 60;

/// Bytes of documents after which a portion of an archive ends.
constexpr std::size_t kArchivePortion = std::size_t{4} << 20U;

constexpr auto kPurgeJobs = "purge jobs";

std::uint64_t count_inactive(const store::Reader& reader) {
  std::uint64_t sum = 0;
  const auto counts = records::read_counts(reader, {});
  for (const char* result : {"CD", "F", "CA", "TO"}) {
    if (const auto at = counts.find(result); at != counts.end()) sum += at->second;
  }
  return sum;
}

// The inactive jobs that a request selects, the one that ended first coming first, in portions.
class Selection {
 public:
  Selection(const PurgeRequest& request, double now, std::uint64_t inactive)
      : from_(records::key::state_prefix(job::State::inactive)) {
    if (request.age_limit_s && *request.age_limit_s < now) {
      before_ = records::to_microseconds(now - *request.age_limit_s);
    }
    if (request.num_limit) beyond_ = inactive - std::min(inactive, *request.num_limit);
  }

  /// Leaves out those that ended at `time` or later.
  void spare_from(double time) { spared_ = records::to_microseconds(time); }

  /// The next `most` of them; none when there are no more.
  std::vector<JobId> next(const store::Reader& reader, std::size_t most) {
    std::vector<JobId> ids;
    const std::string end = store::prefix_end(records::key::state_prefix(job::State::inactive));
    const auto at = reader.scan(Family::index, from_, end);
    for (; at->valid() && ids.size() < most; at->next()) {
      const std::uint64_t ended = records::key::indexed_time(at->key());
      if (ended >= spared_ || (beyond_ == 0 && ended >= before_)) break;
      if (beyond_ > 0) --beyond_;
      ids.push_back(records::key::indexed_job(at->key()));
      from_ = std::string{at->key()} + '\0';
    }
    return ids;
  }

 private:
  std::string from_;
  std::uint64_t before_ = 0;  ///< microseconds: those that ended before
  std::uint64_t beyond_ = 0;  ///< so many of the oldest, whenever they ended
  std::uint64_t spared_ = UINT64_MAX;
};

std::vector<JobId> named(const store::Reader& reader, const PurgeRequest& request,
                         std::vector<Refusal>& refusals) {
  std::vector<JobId> ids;
  std::unordered_set<JobId> seen;
  refusals = for_each_job(request.ids, [&](JobId id) {
    if (job::is_active(require_job(reader, id).state)) throw error(Kind::refused, "job {} has not ended", id);
    if (seen.insert(id).second) ids.push_back(id);
  });
  return ids;
}

void purge_one(Change& change, JobId id) {
  store::Transaction& transaction = change.transaction();
  std::vector<std::string> documents;
  std::uint64_t bytes = 0;
  const std::string files = records::key::data(id, records::key::kFilesService);
  for (const auto at = transaction.scan_prefix(Family::kvs, records::key::job_directory(id)); at->valid();
       at->next()) {
    documents.emplace_back(at->key());
    bytes += at->value().size();
    if (at->key() == files) bytes += bytes_of_kept_files(at->value());
  }
  for (const std::string& key : documents) transaction.erase(Family::kvs, key);
  const job::Job& job = change.job(id);
  change.note_bytes(job.userid, -static_cast<std::int64_t>(bytes));
  static_cast<void>(records::take_waiting(transaction, job));
  records::remember_purged(transaction, job);
  Purging::remove_job(change, id);
  change.effects().purged.push_back(id);
}

// Files of jobs that a purge removed which did not come to remove their files.
void remove_stray_files(const store::Reader& reader, const meeting::JobFiles& files) {
  for (const JobId id : files.data_ids()) {
    if (!records::find_job(reader, id)) try_to([&] { files.remove_data(id); });
  }
}

// The request with the limits that it means.
PurgeRequest with_limits(PurgeRequest request, const store::Reader& reader) {
  if (!request.configured) return request;
  const document::RetentionConfig retention = records::read_retention(reader);
  if (!retention.limits()) {
    throw Error{Kind::usage, "which jobs? give their ids, --age-limit or --num-limit",
                "the configuration has no limits"};
  }
  request.age_limit_s = retention.age_limit_s;
  request.num_limit = retention.num_limit;
  return request;
}

// What a request would purge.
PurgeReply count(const Session& session, const PurgeRequest& asked) {
  PurgeReply reply;
  query(session, [&](const store::Reader& reader) {
    require_operator(reader, session.caller, kPurgeJobs);
    const PurgeRequest request = with_limits(asked, reader);
    const std::uint64_t inactive = count_inactive(reader);
    reply = {};
    if (request.ids.empty()) {
      reply.purged = Selection(request, records::store_time(reader, *session.clock).now, inactive)
                         .next(reader, SIZE_MAX)
                         .size();
    } else {
      reply.purged = named(reader, request, reply.refusals).size();
    }
    reply.remaining = inactive - reply.purged;
  });
  return reply;
}

// Writes the jobs that a request would purge to its archive, and returns them as a request. They are read in
// portions by queries that take no long time, their files outside of these: jobs that have ended do not
// change, and one that is gone was purged by somebody else.
PurgeRequest archive(const Session& session, const PurgeRequest& asked, std::vector<Refusal>& refusals) {
  PurgeRequest purge;
  purge.batch = asked.batch;
  query(session, [&](const store::Reader& reader) {
    const PurgeRequest request = with_limits(asked, reader);
    refusals.clear();
    purge.ids = request.ids.empty() ? Selection(request, records::store_time(reader, *session.clock).now,
                                                count_inactive(reader))
                                          .next(reader, SIZE_MAX)
                                    : named(reader, request, refusals);
  });
  if (purge.ids.empty()) return purge;
  JobArchive file(asked.archive.value());
  for (auto at = purge.ids.cbegin(); at != purge.ids.cend();) {
    auto next = at;
    std::vector<ArchivedJob> portion;
    query(session, [&](const store::Reader& reader) {
      portion.clear();
      std::size_t bytes = 0;
      for (next = at; next != purge.ids.cend() && bytes < kArchivePortion; ++next) {
        if (!records::find_job(reader, *next)) continue;
        portion.push_back(read_archived(reader, *next));
        bytes += portion.back().documents.size();
      }
    });
    at = next;
    for (const ArchivedJob& job : portion) file.add(job, session.files());
  }
  file.sync();
  return purge;
}

// The work in portions. One that could not be stored is done again.
class Purge {
 public:
  explicit Purge(const PurgeRequest& request) : request_(request) {}

  /// Returns whether there is more.
  bool step(Change& change) {
    if (!selection_) begin(change);
    if (portion_.empty()) {
      portion_ = request_.ids.empty() ? selection_->next(change.transaction(), request_.batch) : next_named();
    }
    for (const JobId id : portion_) purge_one(change, id);
    records::count_purged(change.transaction(), portion_.size());
    reply_.remaining = count_inactive(change.transaction()) - portion_.size();
    const bool goes_on = portion_.size() == request_.batch;
    // Once for all of them: to log is to read the log.
    const std::uint64_t all = reply_.purged + portion_.size();
    if (!goes_on && all > 0) log_act(change, "purge", {{"jobs", all}});
    return goes_on;
  }

  void stored() {
    reply_.purged += portion_.size();
    portion_.clear();
  }

  [[nodiscard]] PurgeReply take_reply() { return std::move(reply_); }

 private:
  void begin(Change& change) {
    require_operator(change, kPurgeJobs);
    selection_.emplace(with_limits(request_, change.transaction()), change.now(),
                       count_inactive(change.transaction()));
    ids_ = named(change.transaction(), request_, reply_.refusals);
    remove_stray_files(change.transaction(), change.files());
  }

  std::vector<JobId> next_named() {
    const std::size_t n = std::min(ids_.size() - at_, request_.batch);
    const auto first = ids_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += n;
    return {first, first + static_cast<std::ptrdiff_t>(n)};
  }

  const PurgeRequest& request_;
  std::optional<Selection> selection_;
  std::vector<JobId> ids_;  ///< those named that can be purged
  std::size_t at_ = 0;
  std::vector<JobId> portion_;  ///< not yet stored
  PurgeReply reply_;
};

}  // namespace

void purge_some(Change& change) {
  const document::RetentionConfig retention = records::read_retention(change.transaction());
  if (!retention.limits()) return;
  PurgeRequest request;
  request.age_limit_s = retention.age_limit_s;
  request.num_limit = retention.num_limit;
  Selection selection(request, change.now(), retention.num_limit ? count_inactive(change.transaction()) : 0);
  selection.spare_from(change.now() - kGrace_s);
  const std::vector<JobId> some = selection.next(change.transaction(), kSome);
  for (const JobId id : some) purge_one(change, id);
  records::count_purged(change.transaction(), some.size());
}

namespace {

PurgeReply purge_selected(const Session& session, const PurgeRequest& request) {
  Purge purge(request);
  transact_steps(session, {[&](Change& change) { return purge.step(change); }, [&] { purge.stored(); }},
                 FullDisk::use_reserve);
  return purge.take_reply();
}

}  // namespace

PurgeReply purge(const Session& session, const PurgeRequest& request) {
  if (request.batch == 0) throw Error{Kind::usage, "expected at least one job in a transaction"};
  if (request.dry_run) return count(session, request);
  if (!request.archive) return purge_selected(session, request);
  // The file is written by the store's user: not a file that somebody else names.
  query(session, [&](const store::Reader& reader) {
    require_operator(reader, session.caller, kPurgeJobs);
    if (!is_owner(session.caller, records::read_store_info(reader).owner))
      throw Error{Kind::permission, "only the owner may write an archive"};
  });
  std::vector<Refusal> refusals;
  const PurgeRequest archived = archive(session, request, refusals);
  PurgeReply reply = archived.ids.empty() ? count(session, request) : purge_selected(session, archived);
  // One that is refused only now was purged by somebody else since.
  reply.refusals = std::move(refusals);
  return reply;
}

}  // namespace fq::manager
