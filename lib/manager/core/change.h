// One transaction in the making: the jobs it has touched, the events it will append, the pool, and the
// effects that are due once it is committed. Requests work through it; `manager/core/post` is what writes
// events.

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/by_type.h"
#include "base/passkey.h"
#include "document/jobspec/jobspec.h"
#include "document/resource/resource_set.h"
#include "job/job.h"
#include "manager/engine/effects.h"
#include "manager/engine/session.h"
#include "meeting/launch.h"
#include "priority/accounting.h"
#include "records/instance.h"
#include "records/job_priorities.h"
#include "records/job_table.h"
#include "records/limited_uses.h"
#include "records/queues.h"
#include "records/store_time.h"
#include "sched/pool.h"
#include "store/transaction.h"

namespace fq::sched {
class Matcher;
}

namespace fq::manager {

class StoredReservations;

/// The most jobs that one transaction starts: more would hold the lock, and the starter, for too long.
inline constexpr std::size_t kMaxStarts = 256;

class Allocation;
class Posting;
class Purging;

class Change {
 public:
  /// `session` and `transaction` outlive the change.
  Change(const Session& session, store::Transaction& transaction);
  ~Change();
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  [[nodiscard]] const Session& session() const { return *session_; }
  [[nodiscard]] const Credential& caller() const { return session_->caller; }
  [[nodiscard]] store::Transaction& transaction() { return *transaction_; }
  [[nodiscard]] const records::StoreInfo& info() const { return info_; }
  [[nodiscard]] meeting::JobFiles files() const { return session_->files(); }
  /// The time of this transaction, seconds since the epoch. Never earlier than that of one before.
  [[nodiscard]] double now() const { return sequence_.last_time; }
  /// What time it was in the store, beside the system's clocks, when this began.
  [[nodiscard]] const records::StoreTime& moment() const { return moment_; }
  [[nodiscard]] Effects& effects() { return effects_; }

  /// How many more jobs may be started, or started again: each holds a descriptor until its shell has it.
  [[nodiscard]] std::size_t room_to_start();

  /// The kernel's id of the boot in which jobs are started.
  [[nodiscard]] const std::string& boot();

  /// The next job id.
  [[nodiscard]] JobId take_id();
  /// The next job's number among all, for the scheme fcfs; 0 while jobs are not numbered.
  [[nodiscard]] std::uint64_t take_number() { return sequence_.jobs == 0 ? 0 : ++sequence_.jobs; }
  /// From now on jobs are numbered.
  void number_jobs() { sequence_.jobs = std::max<std::uint64_t>(sequence_.jobs, 1); }

  /// The job as this transaction sees it; null when there is none. Valid until the change ends.
  [[nodiscard]] const job::Job* find_job(JobId id);
  /// The same; throws Error{not_found} `job ƒ… does not exist`.
  [[nodiscard]] const job::Job& job(JobId id);

  /// What a job was given, R, and has not given back. Valid as long as the job. Throws Error{internal} for
  /// one that was given nothing.
  [[nodiscard]] const document::ResourceSet& resources(JobId id);
  /// Gives it that: its R, and what its record has of it.
  void give(JobId id, const document::ResourceSet& r, Passkey<Allocation>);

  /// What is reserved for jobs that wait, as the last pass left it.
  [[nodiscard]] StoredReservations& reservations();
  /// Writes what was noted of them, where no pass does.
  void keep_reservations();

  /// The pool, with everything allocated marked.
  [[nodiscard]] sched::Pool& pool();
  /// Knows what there is in it.
  [[nodiscard]] sched::Matcher& matcher();

  /// Jobs have given back resources since the last call.
  void note_release() { released_ = true; }
  [[nodiscard]] bool take_release() { return std::exchange(released_, false); }

  /// Whether jobs have ended.
  void note_end(Passkey<Posting>) { ended_ = true; }
  [[nodiscard]] bool any_ended() const { return ended_; }

  /// The queues, as they were when first asked for.
  [[nodiscard]] records::Queues& queues();
  /// What orders jobs now, by the same queues.
  [[nodiscard]] records::JobPriorities& priorities();
  /// Whether the store has accounts: banks and users in them.
  [[nodiscard]] bool has_accounts();
  /// After accounts were written.
  void forget_accounts() {
    has_accounts_.reset();
    priorities_.reset();
  }
  /// How what is used counts now.
  [[nodiscard]] const priority::Accounting& accounting();
  [[nodiscard]] const priority::CountedAt& counted_at();
  /// What has limits beside accounts, by the same queues.
  [[nodiscard]] records::LimitedUses& limited_uses();
  /// How jobs are ended, as it was when first asked for.
  [[nodiscard]] const document::ExecConfig& exec_config();
  /// After states of queues were written: what was read of them no longer holds.
  void forget_queues() {
    priorities_.reset();
    limited_uses_.reset();
    queues_.reset();
  }
  /// The same after the configuration was, which tells the inventory's nodes of what queues they are.
  void forget_configuration();

  /// Writes a document of a job (RFC 16), in place of what it was. The event log grows by events instead.
  void put_document(JobId id, const std::string& key, std::string_view bytes);
  /// The same of what was written, or erased, elsewhere: it counts as the user's.
  void note_bytes(std::uint32_t userid, std::int64_t bytes) { bytes_[userid] += bytes; }

  struct Entry {
    std::optional<job::Job> before;  ///< as stored; nothing for a new job
    job::Job now;
    std::string events;                                   ///< lines to append to its event log
    bool removed = false;                                 ///< the job is gone
    std::shared_ptr<const document::ResourceSet> held{};  ///< what it was given, once that was asked for
  };
  /// One that is going to change.
  Entry& entry(JobId id, Passkey<Posting>) { return entry(id); }
  Entry& add_entry(job::Job job, Passkey<Posting>);
  /// The lines that this change appends to a job's event log, so far.
  [[nodiscard]] const std::string& new_events(JobId id);
  /// Removes a job's record and what is derived from it; the documents are the caller's.
  void remove_job(JobId id, Passkey<Purging>) { entry(id).removed = true; }

  /// What one file of the manager keeps while this transaction is in the making: T is a type that only this
  /// file knows. Made when first asked for, and gone with the transaction.
  template <typename T>
  [[nodiscard]] T& kept() {
    return kept_.get<T>();
  }

  /// How many jobs have come to wait for resources so far: a pass that raises it is to be run again.
  [[nodiscard]] std::uint64_t newly_pending() const { return newly_pending_; }
  void count_newly_pending(Passkey<Posting>) { ++newly_pending_; }

  /// Says of a request that it adds jobs and changes nothing that scheduling looks at otherwise.
  void only_adds_jobs() { only_adds_jobs_ = true; }
  /// Says of one of them that it may start though the first of its class did not.
  void has_new_chances() { changed_jobs_ = true; }
  /// Whether the scheduling pass could start a job. Where the last pass was complete and jobs were only
  /// added, each behind another of its class and not shorter, it could not: the first did not start.
  [[nodiscard]] bool pass_is_due() const;

  /// Whether nothing has been changed since the last commit, nor was left to do by it.
  [[nodiscard]] bool is_untouched() const;
  /// Whether it has grown so large (store::kChunkBytes) that what is left to do belongs into another step.
  [[nodiscard]] bool is_large() const { return transaction_->bytes() + entry_bytes_ > store::kChunkBytes; }

  /// Writes jobs, events, indexes, pool and sequence into the transaction. The change may go on after it.
  void write_back();

 protected:
  /// One that starts at most so many jobs in a transaction, whatever this process has room for.
  Change(const Session& session, store::Transaction& transaction, std::size_t most_starts);

  /// Begins the next transaction, at the present time. What was read of the store holds on; jobs that have
  /// ended are forgotten. REQUIRES that the transaction was committed, and that nobody else writes to the
  /// store.
  void go_on();

 private:
  Entry& entry(JobId id);
  Entry& insert(JobId id, Entry entry);

  const Session* session_;
  store::Transaction* transaction_;
  records::StoreInfo info_;
  records::Sequence sequence_;
  records::StoreTime moment_;
  std::unordered_map<JobId, Entry> jobs_;
  std::map<std::uint32_t, std::int64_t> bytes_;  ///< more or fewer of each user's jobs, not written back yet
  std::vector<JobId> touched_;                   ///< since they were last written back; some twice
  std::vector<JobId> over_;                      ///< written back since go_on, and ended or removed
  ByType kept_;
  std::unique_ptr<sched::Pool> pool_;
  std::unique_ptr<sched::Matcher> matcher_;  ///< of it
  std::unique_ptr<StoredReservations> reservations_;
  bool released_ = false, ended_ = false;
  std::optional<records::Queues> queues_;
  std::optional<records::JobPriorities> priorities_;
  std::optional<bool> has_accounts_;
  std::optional<priority::Accounting> accounting_;
  std::optional<priority::CountedAt> counted_at_;
  std::optional<records::LimitedUses> limited_uses_;
  std::optional<document::ExecConfig> exec_;
  Effects effects_;
  std::optional<std::size_t> most_starts_, kept_most_starts_;
  std::string boot_;  ///< empty: not asked for yet
  std::uint64_t newly_pending_ = 0;
  bool only_adds_jobs_ = false;
  bool changed_jobs_ = false;    ///< that were there before, or have chances that their class had not
  std::size_t entry_bytes_ = 0;  ///< about: of jobs' records, indexes and events not yet in the transaction
};

}  // namespace fq::manager
