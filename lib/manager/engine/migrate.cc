#include "manager/engine/migrate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "document/resource/resource_set.h"
#include "job/apply.h"
#include "manager/core/inventory.h"
#include "manager/pass/period_timer.h"
#include "manager/pass/scheduler_retry.h"
#include "manager/pass/stored_pool.h"
#include "manager/run/guest_data.h"
#include "manager/site/configure.h"
#include "records/housekeeping.h"
#include "records/instance.h"
#include "records/job_documents.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/queues.h"

namespace fq::manager {

using document::ResourceSet;
using notation::JobId;
using store::Family;
namespace key = records::key;

namespace {

class Migration {
 public:
  Migration(store::Transaction& transaction, const MigrationNotice& notice)
      : transaction_(transaction), notice_(notice) {}

  void run() {
    for (const auto at = transaction_.scan(Family::jobs, "", ""); at->valid(); at->next()) ++total_;
    notice_(0, total_);
    records::begin_migration(transaction_);
    erase_all(Family::index, "");
    erase_records_without_log();
    erase_all(Family::instance, key::kClassPrefix);
    erase_all(Family::instance, key::kCountPrefix);
    erase_all(Family::instance, key::kActivePrefix);
    erase_all(Family::instance, key::kBytesPrefix);
    erase_all(Family::instance, key::kPoolPrefix);
    for (JobId from; some_jobs(from); notice_(done_, total_)) transaction_.commit();
    write_pool();
    write_timers();
    compile_configuration();
    records::finish_migration(transaction_);
    transaction_.commit();
  }

 private:
  static constexpr std::size_t kPortion = 1000;  ///< jobs, or keys that are erased

  // Each portion begins behind the last one: what was erased is still passed over by every scan.
  void erase_all(Family family, std::string_view prefix) {
    std::string from{prefix};
    for (bool more = true; more;) {
      std::vector<std::string> keys;
      for (const auto at = transaction_.scan(family, from, "");
           at->valid() && at->key().starts_with(prefix) && keys.size() < kPortion; at->next()) {
        keys.emplace_back(at->key());
      }
      for (const std::string& key : keys) transaction_.erase(family, key);
      more = keys.size() == kPortion;
      if (!more) return;
      from = keys.back() + '\0';
      transaction_.commit();
    }
  }

  // A record is made from documents: without these it is nobody's.
  void erase_records_without_log() {
    std::string from;
    for (bool more = true; more; transaction_.commit()) {
      std::vector<std::string> keys;
      std::size_t seen = 0;
      const auto at = transaction_.scan(Family::jobs, from, "");
      for (; at->valid() && seen < kPortion; at->next(), ++seen) {
        from = std::string{at->key()} + '\0';
        const bool is_job = at->key().size() == sizeof(std::uint64_t);
        if (!is_job || !transaction_.get(Family::kvs, key::eventlog(key::job_of(at->key()))))
          keys.emplace_back(at->key());
      }
      more = seen == kPortion;
      for (const std::string& k : keys) transaction_.erase(Family::jobs, k);
    }
  }

  // The records of the next jobs, with what is derived from them. Returns whether there were any; `from` is
  // where the next ones begin.
  bool some_jobs(JobId& from) {
    std::vector<records::JobDocuments> jobs;
    {
      records::JobDocumentCursor cursor(transaction_, from, {}, records::Measure::yes);
      while (jobs.size() < kPortion) {
        auto documents = cursor.next();
        if (!documents) break;
        jobs.push_back(std::move(*documents));
      }
    }
    records::JobTable table(transaction_);
    for (const records::JobDocuments& documents : jobs) {
      const std::string r = documents.r.value_or("");
      const job::Job job =
          job::replay(documents.id, documents.jobspec.value_or(""), documents.eventlog.value_or(""), r);
      if (job.allocated) held_.push_back(ResourceSet::parse(r));
      table.replace(std::nullopt, job);
      table.note_bytes(job.userid, static_cast<std::int64_t>(bytes_of(documents)));
      from = JobId{documents.id.value + 1};
    }
    table.flush();
    done_ = std::min(done_ + jobs.size(), total_);
    return !jobs.empty();
  }

  void write_pool() {
    const auto pool = load_pool(transaction_);
    for (const ResourceSet& r : held_) pool->allocate(r);
    for (const records::Housekeeping& each : records::read_housekeepings(transaction_))
      pool->allocate(ResourceSet::parse(each.R));
    store_pool(transaction_, *pool);
  }

  // Of the store's own timers the records stay; their entries went with the index.
  void write_timers() {
    for (const auto& timer :
         {inventory_timer(transaction_), period_timer(transaction_), retry_timer(transaction_)}) {
      if (timer) transaction_.put(Family::index, *timer, "");
    }
  }

  void compile_configuration() {
    const auto text = transaction_.get(Family::instance, key::kConfig);
    if (!text) return erase_all(Family::instance, key::kQueueConfigPrefix);
    records::write_config(transaction_,
                          compile_config(parse_json(*text, "configuration"), read_nodes(transaction_)));
  }

  store::Transaction& transaction_;
  const MigrationNotice& notice_;
  std::uint64_t done_ = 0, total_ = 0;
  std::vector<ResourceSet> held_;
};

}  // namespace

void migrate(store::Transaction& transaction, const MigrationNotice& notice) {
  try {
    Migration(transaction, notice).run();
  } catch (const Error& failure) {
    if (failure.kind() != Kind::invalid) throw;
    throw Error{Kind::unavailable,
                fmt::format("what is derived from the jobs' documents is not of this format, and cannot be "
                            "made anew: {}",
                            failure.what()),
                "fq fsck --repair"};
  }
}

void make_derived_anew(store::Transaction& transaction, const MigrationNotice& notice) {
  Migration(transaction, notice).run();
}

}  // namespace fq::manager
