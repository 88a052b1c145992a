#include "manager/fsck.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/resource_set.h"
#include "job/actions.h"
#include "job/apply.h"
#include "manager/configure.h"
#include "manager/dependants.h"
#include "manager/inventory.h"
#include "manager/stored_pool.h"
#include "records/instance.h"
#include "records/job_index.h"
#include "records/job_record.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/purged.h"
#include "records/queues.h"
#include "records/untold.h"

namespace fq::manager {

using store::Family;

namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const unsigned char c : bytes) {
    out += c >= 0x20 && c < 0x7F ? std::string(1, static_cast<char>(c)) : fmt::format("\\x{:02x}", c);
  }
  return out;
}

using Entries = std::map<std::string, std::string>;

Entries stored_entries(const store::Reader& reader, Family family, std::string_view prefix) {
  Entries entries;
  for (const auto at = reader.scan_prefix(family, prefix); at->valid(); at->next()) {
    entries.emplace(at->key(), at->value());
  }
  return entries;
}

class Check {
 public:
  explicit Check(const store::Reader& reader) : reader_(reader) {}

  std::vector<std::string> run() {
    for (const auto at = reader_.scan(Family::jobs, "", ""); at->valid(); at->next()) {
      const notation::JobId id = records::key::job_of(at->key());
      try {
        check_job(records::decode_job(at->value()), id);
      } catch (const Error& failure) {
        say("job {}: {}", id, failure.what());
      }
    }
    check_documents();
    check_names();
    compare("index entry", stored_entries(reader_, Family::index, ""), index_);
    check_classes();
    check_counts();
    check_annotations();
    check_memos();
    check_purged();
    check_waitable();
    check_pool();
    check_configuration();
    if (records::read_sequence(reader_).last_id < last_id_)
      say("job {} has an id after the sequence", last_id_);
    return std::move(lines_);
  }

 private:
  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    lines_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  void check_job(const job::Job& job, notation::JobId id) {
    if (job.id != id) say("job {}: its record says {}", id, job.id);
    last_id_ = std::max(last_id_, id);
    const auto document = [&](const std::string& key) { return reader_.get(Family::kvs, key).value_or(""); };
    const std::string r = document(records::key::r(id));
    const job::Job replayed =
        job::replay(id, document(records::key::jobspec(id)), document(records::key::eventlog(id)), r);
    if (replayed != job) say("job {}: its record is not what its event log gives", id);
    if (job::due_event(job)) say("job {}: an event is due and was not posted", id);
    if (job.state == job::State::depend) check_dependencies(job);

    for (std::string& key : records::index_keys(job)) index_.emplace(std::move(key), "");
    ++counts_[records::count_key(job)];
    if (job.state == job::State::sched) {
      pending_.insert(id);
      add_to_class(job);
    }
    if (job.named && job::is_active(job.state)) {
      const bool waits = records::waits_for_name(job);
      if (!waits) taken_names_.emplace(job.userid, job.name);
      if (waits && job.state == job::State::depend) waiting_.push_back(job);
    }
    if (job::is_active(job.state)) active_.insert(id);
    if ((job.flags & job::kFlagWaitable) != 0) add_waitable(job);
    if (job.allocated) held_.push_back(document::ResourceSet::parse(r));
  }

  // What a job waits for can still come.
  void check_dependencies(const job::Job& job) {
    for (const std::string& description : job.dependencies) {
      const document::Dependency dependency = document::parse_description(description);
      if (!is_on_a_job(dependency.kind)) continue;
      const auto on = records::find_job(reader_, dependency.job);
      if (on && dependency_state(dependency.kind, *on) != DependencyState::waiting &&
          !records::is_to_be_told(reader_, on->id, job.id)) {
        say("job {} waits for job {}, of which nothing more will come", job.id, on->id);
      }
    }
  }

  // Who waits for a name waits for somebody.
  void check_names() {
    for (const job::Job& job : waiting_) {
      if (!taken_names_.contains({job.userid, job.name})) {
        say("job {} waits for the name {}, which nobody has", job.id, quote(job.name));
      }
    }
  }

  void add_waitable(const job::Job& job) {
    using records::key::WaitPhase;
    const bool active = job::is_active(job.state);
    (active ? waitable_active_ : waitable_ended_)
        .insert(records::key::waitable(job.userid, active ? WaitPhase::active : WaitPhase::ended,
                                       active ? job.t_submit : job.t_inactive, job.id));
  }

  void add_to_class(const job::Job& job) {
    records::JobClass c = records::class_of(job);
    records::JobClass& known = classes_.try_emplace(records::key::job_class(c.id), c).first->second;
    const std::uint64_t time = records::to_microseconds(job.t_submit);
    if (known.count == 0 || std::pair{time, job.id} < std::pair{known.head_time, known.head}) {
      known.head_time = time;
      known.head = job.id;
    }
    ++known.count;
  }

  // Every document under `job.` belongs to a job that has a record.
  void check_documents() {
    for (const auto at = reader_.scan_prefix(Family::kvs, "job."); at->valid(); at->next()) {
      constexpr std::size_t kDothexLength = 4 + 19;  // "job." and "0000.0000.0000.0000"
      const notation::JobId id = notation::parse_job_id(at->key().substr(0, kDothexLength));
      if (!records::find_job(reader_, id)) say("{}: there is no such job", at->key());
    }
  }

  void compare(std::string_view what, const Entries& stored, const Entries& expected) {
    for (const auto& [key, value] : expected) {
      const auto found = stored.find(key);
      if (found == stored.end()) {
        say("{} {} is missing", what, hex(key));
      } else if (found->second != value) {
        say("{} {} is {}, not {}", what, hex(key), hex(found->second), hex(value));
      }
    }
    for (const auto& [key, value] : stored) {
      if (!expected.contains(key)) say("{} {} is left over", what, hex(key));
    }
  }

  void check_classes() {
    Entries expected;
    for (const auto& [key, c] : classes_) expected.emplace(key, records::encode(c));
    compare("class", stored_entries(reader_, Family::instance, records::key::kClassPrefix), expected);
  }

  void check_counts() {
    Entries expected;
    for (const auto& [key, count] : counts_) expected.emplace(key, fmt::format("{}", count));
    compare("counter", stored_entries(reader_, Family::instance, records::key::kCountPrefix), expected);
  }

  void check_annotations() {
    for (const auto& [key, value] :
         stored_entries(reader_, Family::instance, records::key::kAnnotationPrefix)) {
      const notation::JobId id = records::key::indexed_job(key);
      if (!pending_.contains(id)) say("job {} is annotated and not pending", id);
    }
  }

  void check_memos() {
    for (const auto& [key, value] : stored_entries(reader_, Family::instance, records::key::kMemoPrefix)) {
      const notation::JobId id = records::key::indexed_job(key);
      if (!active_.contains(id)) say("job {} has a memo beside its log and is not active", id);
    }
  }

  void check_purged() {
    const Entries entries = stored_entries(reader_, Family::instance, records::key::kPurgedPrefix);
    if (records::purged_jobs(reader_) > entries.size()) say("more jobs are counted as purged than were");
    for (const auto& [key, value] : entries) {
      const notation::JobId id = records::key::indexed_job(key);
      if (records::find_job(reader_, id)) say("job {} was purged and has a record", id);
      if (!records::find_purged(reader_, id)) say("job {} was purged and is forgotten", id);
    }
  }

  // A waitable job has its entry until it has ended; then it may have been taken.
  void check_waitable() {
    const Entries stored = stored_entries(reader_, Family::instance, records::key::kWaitablePrefix);
    for (const std::string& key : waitable_active_) {
      if (!stored.contains(key)) say("waitable entry {} is missing", hex(key));
    }
    for (const auto& [key, value] : stored) {
      if (!waitable_active_.contains(key) && !waitable_ended_.contains(key)) {
        say("waitable entry {} is left over", hex(key));
      }
    }
  }

  // What is not wanted is there for jobs alone that hold it.
  void check_leaving(const document::ResourceSet& inventory, const document::ResourceSet& allocated) {
    const auto text = reader_.get(Family::instance, records::key::kWanted);
    if (!text) return;
    const document::ResourceSet extra = inventory.subtract(document::ResourceSet::parse(*text));
    if (extra.empty()) say("nodes are marked to leave, and none is left");
    if (!allocated.contains(extra))
      say("{} is to leave, and no job holds it", extra.subtract(allocated).summary());
  }

  void check_pool() {
    const auto stored = load_pool(reader_);
    sched::Pool expected(std::make_shared<const document::ResourceSet>(stored->inventory()));
    for (const document::ResourceSet& r : held_) expected.allocate(r);
    check_leaving(stored->inventory(), stored->allocated());
    if (stored->allocated() != expected.allocated()) {
      say("the pool has {} allocated, running jobs hold {}", stored->allocated().summary(),
          expected.allocated().summary());
    }
  }

  // What was compiled is what the document gives for these nodes.
  void check_configuration() {
    const auto stored = stored_entries(reader_, Family::instance, records::key::kQueueConfigPrefix);
    Entries expected;
    if (reader_.get(Family::instance, records::key::kConfig)) {
      const document::ResourceSet excluded = read_excluded(reader_);
      const auto all = document::ResourceSet::parse(records::read_inventory(reader_)).unite(excluded);
      const document::Config config =
          compile_config(parse_json(records::read_config_document(reader_), "config"), all);
      for (const document::QueueConfig& queue : config.queues) {
        expected.emplace(records::key::queue_config(queue.name), document::encode_queue(queue));
      }
      if (reader_.get(Family::instance, records::key::kScheduling) !=
          records::encode_scheduling(config.queues)) {
        say("the record of what queues are scheduled is not what the configuration gives");
      }
      if (records::Queues(reader_).default_queue() != config.default_queue) {
        say("the default queue is not {}", quote(config.default_queue));
      }
      if (config.inventory.encode() != all.encode())
        say("the inventory has not the properties of the queues");
      if (config.excluded != excluded.ranks()) say("other nodes are excluded than the configuration says");
      if (records::read_exec_config(reader_) != config.exec ||
          records::read_retention(reader_) != config.retention) {
        say("the records of exec and jobs are not what the configuration gives");
      }
    }
    compare("queue", stored, expected);
  }

  const store::Reader& reader_;
  std::vector<std::string> lines_;
  notation::JobId last_id_;
  Entries index_;
  std::map<std::string, std::uint64_t> counts_;
  std::map<std::string, records::JobClass> classes_;
  std::set<notation::JobId> pending_, active_;
  std::set<std::pair<std::uint32_t, std::string>> taken_names_;
  std::vector<job::Job> waiting_;
  std::set<std::string> waitable_active_, waitable_ended_;  ///< keys that must be, and that may be
  std::vector<document::ResourceSet> held_;
};

}  // namespace

std::vector<std::string> check_whole_store(const store::Reader& reader) {
  return Check(reader).run();
}

}  // namespace fq::manager
