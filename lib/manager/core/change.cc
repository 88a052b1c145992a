#include "manager/core/change.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "job/apply.h"
#include "manager/core/permission.h"
#include "manager/pass/stored_pool.h"
#include "manager/pass/stored_reservations.h"
#include "records/accounts.h"
#include "records/keys.h"
#include "records/purged.h"
#include "sched/matcher.h"

namespace fq::manager {

using store::Family;

Change::Change(const Session& session, store::Transaction& transaction)
    : session_(&session),
      transaction_(&transaction),
      info_(records::read_store_info(transaction)),
      sequence_(records::read_sequence(transaction)),
      moment_(records::store_time(transaction, *session.clock)) {
  records::write_anchor(transaction, moment_);
  sequence_.last_time = std::max(sequence_.last_time, moment_.now);
}

Change::Change(const Session& session, store::Transaction& transaction, std::size_t most_starts)
    : Change(session, transaction) {
  most_starts_ = kept_most_starts_ = most_starts;
}

Change::~Change() = default;

std::size_t Change::room_to_start() {
  // What the engine may still open of its tables (store/rocksdb_options), and a few files besides.
  constexpr std::size_t kKeptDescriptors = 40;
  if (!most_starts_) {
    const std::size_t left = free_descriptors();
    most_starts_ = std::clamp<std::size_t>(left - std::min(left, kKeptDescriptors), 1, kMaxStarts);
  }
  return *most_starts_ - std::min(*most_starts_, effects_.starts.size() + effects_.housekeepings.size());
}

const std::string& Change::boot() {
  if (boot_.empty()) boot_ = boot_id();
  return boot_;
}

JobId Change::take_id() {
  sequence_.last_id = records::next_id(sequence_, info_, now());
  return sequence_.last_id;
}

const job::Job* Change::find_job(JobId id) {
  const auto at = jobs_.find(id);
  if (at != jobs_.end()) return at->second.removed ? nullptr : &at->second.now;
  auto stored = records::find_job(*transaction_, id);
  if (!stored) return nullptr;
  return &insert(id, {stored, *stored, {}}).now;
}

const job::Job& Change::job(JobId id) {
  const job::Job* found = find_job(id);
  if (found == nullptr) throw Rights(*transaction_, caller()).no_such_job(id);
  return *found;
}

Change::Entry& Change::entry(JobId id) {
  static_cast<void>(job(id));
  touched_.push_back(id);
  return jobs_.at(id);
}

Change::Entry& Change::add_entry(job::Job job, Passkey<Posting>) {
  const JobId id = job.id;
  touched_.push_back(id);
  return insert(id, {std::nullopt, std::move(job), {}});
}

Change::Entry& Change::insert(JobId id, Entry entry) {
  constexpr std::size_t kTypicalBytes = 800;
  entry_bytes_ += kTypicalBytes;
  return jobs_.emplace(id, std::move(entry)).first->second;
}

const std::string& Change::new_events(JobId id) {
  static_cast<void>(job(id));
  return jobs_.at(id).events;
}

void Change::put_document(JobId id, const std::string& key, std::string_view bytes) {
  const auto before = transaction_->get(Family::kvs, key);
  note_bytes(job(id).userid, static_cast<std::int64_t>(bytes.size()) -
                                 static_cast<std::int64_t>(before ? before->size() : 0));
  transaction_->put(Family::kvs, key, bytes);
}

const document::ResourceSet& Change::resources(JobId id) {
  static_cast<void>(job(id));
  Entry& entry = jobs_.at(id);
  if (!entry.held) {
    const auto text = transaction_->get(Family::kvs, records::key::r(id));
    if (!text) throw error(Kind::internal, "job {} holds resources but has no R", id);
    entry.held = std::make_shared<const document::ResourceSet>(document::ResourceSet::parse(*text));
  }
  return *entry.held;
}

void Change::give(JobId id, const document::ResourceSet& r, Passkey<Allocation>) {
  put_document(id, records::key::r(id), r.encode());
  Entry& entry = this->entry(id);
  entry.held = std::make_shared<const document::ResourceSet>(r);
  job::assign(entry.now, r);
}

StoredReservations& Change::reservations() {
  if (!reservations_) reservations_ = std::make_unique<StoredReservations>(*transaction_, pool().inventory());
  return *reservations_;
}

void Change::keep_reservations() {
  if (reservations_) reservations_->write(*transaction_);
}

sched::Pool& Change::pool() {
  if (!pool_) pool_ = load_pool(*transaction_);
  return *pool_;
}

sched::Matcher& Change::matcher() {
  if (!matcher_) matcher_ = std::make_unique<sched::Matcher>(pool());
  return *matcher_;
}

records::Queues& Change::queues() {
  if (!queues_) queues_.emplace(*transaction_);
  return *queues_;
}

records::JobPriorities& Change::priorities() {
  if (!priorities_) priorities_.emplace(*transaction_, queues(), now());
  return *priorities_;
}

bool Change::has_accounts() {
  if (!has_accounts_) has_accounts_ = records::has_accounts(*transaction_);
  return *has_accounts_;
}

const priority::Accounting& Change::accounting() {
  if (!accounting_) accounting_ = records::read_accounting(*transaction_);
  return *accounting_;
}

const priority::CountedAt& Change::counted_at() {
  if (!counted_at_) counted_at_ = accounting().counted_at(now());
  return *counted_at_;
}

records::LimitedUses& Change::limited_uses() {
  if (!limited_uses_) limited_uses_.emplace(*transaction_, queues());
  return *limited_uses_;
}

const document::ExecConfig& Change::exec_config() {
  if (!exec_) exec_ = records::read_exec_config(*transaction_);
  return *exec_;
}

void Change::forget_configuration() {
  reservations().make_void();  // they are read with the nodes that there were
  forget_queues();
  exec_.reset();
  accounting_.reset();
  counted_at_.reset();
  if (pool_) store_pool(*transaction_, *pool_);
  matcher_.reset();
  pool_.reset();
}

bool Change::pass_is_due() const {
  return !only_adds_jobs_ || changed_jobs_ || records::pass_is_due(*transaction_);
}

bool Change::is_untouched() const {
  return touched_.empty() && transaction_->empty() && !records::pass_is_due(*transaction_);
}

void Change::write_back() {
  records::JobTable table(*transaction_);
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const JobId id : touched_) {
    Entry& entry = jobs_.at(id);
    if (entry.removed && entry.before) table.replace(std::exchange(entry.before, std::nullopt), std::nullopt);
    if (entry.removed) changed_jobs_ = true;
    if (entry.removed || entry.events.empty()) continue;
    if (entry.before) changed_jobs_ = true;
    transaction_->append(Family::kvs, records::key::eventlog(id), entry.events);
    note_bytes(entry.now.userid, static_cast<std::int64_t>(entry.events.size()));
    table.replace(entry.before, entry.now);
    // Nobody waits for a job that did not exist; the first one stands for all for those who wait for any.
    if (entry.before || effects_.changed.empty()) effects_.changed.push_back(id);
    entry.before = entry.now;
    entry.events.clear();
  }
  for (const JobId id : touched_) {
    const Entry& entry = jobs_.at(id);
    if (entry.removed || entry.now.state == job::State::inactive) over_.push_back(id);
  }
  touched_.clear();
  entry_bytes_ = 0;
  for (const auto& [userid, bytes] : bytes_) table.note_bytes(userid, bytes);
  bytes_.clear();
  table.flush();
  changed_jobs_ = changed_jobs_ || table.has_new_chances();
  if (pool_) store_pool(*transaction_, *pool_);
  records::write_sequence(*transaction_, sequence_);
}

void Change::go_on() {
  for (const JobId id : over_) jobs_.erase(id);
  over_.clear();
  moment_ = records::store_time(*transaction_, *session_->clock);
  records::write_anchor(*transaction_, moment_);
  sequence_.last_time = std::max(sequence_.last_time, moment_.now);
  kept_.clear();
  released_ = ended_ = only_adds_jobs_ = changed_jobs_ = false;
  // What these say depends on the time.
  priorities_.reset();
  counted_at_.reset();
  limited_uses_.reset();
  effects_ = {};
  most_starts_ = kept_most_starts_;
}

}  // namespace fq::manager
