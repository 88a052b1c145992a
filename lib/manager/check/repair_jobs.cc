#include "manager/check/repair_jobs.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "document/jobspec/jobspec.h"
#include "document/resource/resource_set.h"
#include "job/apply.h"
#include "job/events.h"
#include "manager/check/check_signature.h"
#include "manager/jobs/job_archive.h"
#include "manager/run/guest_data.h"
#include "meeting/liveness.h"
#include "records/housekeeping.h"
#include "records/instance.h"
#include "records/job_documents.h"
#include "records/job_table.h"
#include "records/keys.h"
#include "records/store_time.h"
#include "sched/pool.h"

namespace fq::manager {

using notation::JobId;
using store::Family;
namespace events = job::events;

namespace {

class JobsRepair {
 public:
  JobsRepair(const Session& session, store::Transaction& transaction, std::string aside, const Report& report)
      : session_(session),
        transaction_(transaction),
        aside_(std::move(aside)),
        report_(report),
        pool_(std::make_shared<const document::ResourceSet>(
            document::ResourceSet::parse(records::read_inventory(transaction)))) {
    check_part(report_, "signatures",
               [&] { signatures_.emplace(session.signatures, records::read_store_info(transaction).owner); });
  }

  void run() {
    allocate_what_runs();
    constexpr std::size_t kPortion = 100;
    JobId from;
    for (std::size_t n = kPortion; n == kPortion;) {
      std::vector<records::JobDocuments> jobs;
      {
        records::JobDocumentCursor cursor(transaction_, from);
        for (n = 0; n < kPortion; ++n) {
          auto documents = cursor.next();
          if (!documents) break;
          jobs.push_back(std::move(*documents));
        }
      }
      for (const records::JobDocuments& documents : jobs) {
        repair_job(documents);
        from = JobId{documents.id.value + 1};
      }
      if (transaction_.empty()) continue;
      if (archive_) archive_->sync();
      transaction_.commit();
    }
    keep_housekeeping();
    tell_lost_documents();
  }

 private:
  // What holds nodes of jobs that have ended: as long as nobody else has them.
  void keep_housekeeping() {
    std::vector<std::string> keys;
    for (const auto at = transaction_.scan_prefix(Family::instance, records::key::kHousekeepingPrefix);
         at->valid(); at->next())
      keys.emplace_back(at->key());
    for (const std::string& key : keys) {
      const JobId id = records::key::indexed_job(key);
      try {
        const auto housekeeping = records::find_housekeeping(transaction_, id);
        if (!housekeeping) throw Error{Kind::invalid, "its key has no id"};
        pool_.allocate(document::ResourceSet::parse(housekeeping->R));
      } catch (const Error& failure) {
        transaction_.erase(Family::instance, key);
        report_(fmt::format("housekeeping {}: given up: {}", id, failure.what()));
      }
    }
    if (!transaction_.empty()) transaction_.commit();
  }

  // Records without documents: what they were made from was in tables that cannot be read.
  void tell_lost_documents() {
    for (const auto at = transaction_.scan(Family::jobs, "", ""); at->valid(); at->next()) {
      const JobId id = records::key::job_of(at->key());
      const std::string directory = records::key::job_directory(id);
      if (transaction_.scan_prefix(Family::kvs, directory)->valid()) continue;
      try {
        if (records::find_job(transaction_, id)) say(id, "given up: its documents are lost");
      } catch (const Error&) {
        continue;  // what is no record was no job
      }
    }
  }

  // Of two jobs that are known to have the same cores, that one has them whose shell lives.
  void allocate_what_runs() {
    const meeting::JobFiles files = session_.files();
    for (const JobId id : files.alive_ids()) {
      if (!meeting::shell_alive(files, id)) continue;
      const auto documents = records::JobDocumentCursor(transaction_, id).next();
      std::string reason;
      if (!documents || documents->id != id) continue;
      const auto readable = read(*documents, reason);
      if (!readable || !readable->fault.empty() || !readable->job.allocated) continue;
      try {
        pool_.allocate(document::ResourceSet::parse(*documents->r));
        running_.insert(id);
      } catch (const Error&) {
        continue;  // keep() says why
      }
    }
  }

  // What can be read of a job's documents.
  struct Readable {
    job::Job job;
    std::string log;    ///< as far as it can be replayed
    std::string fault;  ///< of what comes behind; empty: it is whole
    bool r = true;      ///< R can be read, or there is none
  };

  template <typename... Args>
  void say(JobId id, fmt::format_string<Args...> format, Args&&... args) {
    report_(fmt::format("job {}: {}", id, fmt::format(format, std::forward<Args>(args)...)));
  }

  void repair_job(const records::JobDocuments& documents) {
    const JobId id = documents.id;
    if (documents.eventlog && records::is_unfinished_submission(*documents.eventlog)) {
      remove(id);
      say(id, "removed: its submission was not finished");
      return;
    }
    // Tables that are found again may hold what was removed.
    if (transaction_.get(Family::instance, records::key::purged(id))) return remove(id);
    std::string reason;
    const std::optional<Readable> readable = read(documents, reason);
    if (!readable) {
      archive(id);
      remove(id);
      say(id, "given up: {}; what there was of it is in {}", reason, quote(archive_path()));
      return;
    }
    keep(documents, *readable);
    if (documents.files) keep_files(id, *documents.files);
  }

  // J that is not what it should be goes. Why the job cannot run, if it has not ended.
  std::optional<std::string> give_up_signature(const records::JobDocuments& documents, const job::Job& job) {
    const auto fault = signatures_ ? signatures_->fault_of(job, documents) : std::nullopt;
    if (!fault) return std::nullopt;
    if (documents.J) {
      archive(job.id);
      transaction_.erase(Family::kvs, records::key::signed_request(job.id));
      say(job.id, "its J was given up: {}; what there was is in {}", *fault, quote(archive_path()));
    }
    const bool runs_as_owner = job.userid == records::read_store_info(transaction_).owner;
    return runs_as_owner || !job::is_active(job.state) ? std::nullopt : fault;
  }

  // Nothing, and why, where neither jobspec nor the beginning of the log can be read.
  static std::optional<Readable> read(const records::JobDocuments& documents, std::string& reason) {
    Readable readable;
    std::optional<document::Jobspec> jobspec;
    try {
      if (!documents.jobspec) throw Error{Kind::invalid, "it has no jobspec"};
      if (!documents.eventlog) throw Error{Kind::invalid, "it has no event log"};
      jobspec = document::Jobspec::parse(*documents.jobspec);
    } catch (const Error& failure) {
      reason = failure.what();
      return std::nullopt;
    }
    std::optional<document::ResourceSet> r;
    try {
      if (documents.r) r = document::ResourceSet::parse(*documents.r);
    } catch (const Error&) {
      readable.r = false;
    }
    readable.job.id = documents.id;
    std::string_view rest = *documents.eventlog;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n') + 1);
      job::Job job = readable.job;
      auto updated = *jobspec;
      try {
        if (line.empty()) throw Error{Kind::invalid, "its event log ends within a line"};
        const document::Event event = document::decode_event(line);
        job::apply(job, event);
        if (event.name == events::kJobspecUpdate) updated.apply_update(event.context);
        if (event.name == "alloc" && r) job::assign(job, *r);
      } catch (const Error& failure) {
        readable.fault = failure.what();
        break;
      }
      readable.job = std::move(job);
      jobspec = std::move(updated);
      readable.log += line;
      rest.remove_prefix(line.size());
    }
    if (readable.job.t_submit == 0) {
      reason = readable.fault.empty() ? "its event log is empty" : readable.fault;
      return std::nullopt;
    }
    if (readable.job.allocated && !r && readable.fault.empty())
      readable.fault = documents.r ? "its R cannot be read" : "it has no R";
    return readable;
  }

  void keep(const records::JobDocuments& documents, const Readable& readable) {
    const JobId id = documents.id;
    std::string fault = readable.fault;
    if (fault.empty() && readable.job.allocated && !running_.contains(id)) {
      try {
        pool_.allocate(document::ResourceSet::parse(*documents.r));
      } catch (const Error& failure) {
        fault = failure.what();
      }
    }
    const auto unsigned_because = give_up_signature(documents, readable.job);
    if (fault.empty()) fault = unsigned_because.value_or("");
    if (fault.empty() && readable.r) return;
    archive(id);
    if (!readable.r) {
      transaction_.erase(Family::kvs, records::key::r(id));
      say(id, "its R was given up: it cannot be read; what there was is in {}", quote(archive_path()));
    }
    if (fault.empty()) return;
    const bool active = job::is_active(readable.job.state);
    transaction_.put(Family::kvs, records::key::eventlog(id),
                     active ? readable.log + end_of(readable.job) : readable.log);
    const std::string_view cut = readable.fault.empty() ? "" : "its event log was cut";
    say(id, "{}{}{}: {}; what there was is in {}", cut, active && !cut.empty() ? ", and " : "",
        active ? "it has failed" : "", fault, quote(archive_path()));
  }

  // The events with which an active job is over.
  [[nodiscard]] std::string end_of(const job::Job& job) const {
    const double now = records::store_time(transaction_, *session_.clock).now;
    std::string log;
    document::append_event(log, events::exception(now, "damage", 0, "what is stored of it was damaged"));
    constexpr std::string_view kRepaired = "repair";
    for (std::uint32_t i = 0; i < job.prologs; ++i)
      document::append_event(log, events::prolog_finish(now, kRepaired, 1 << 8));
    if (job.started) document::append_event(log, events::finish(now, 1 << 8));
    for (std::uint32_t i = 0; i < job.epilogs; ++i)
      document::append_event(log, events::epilog_finish(now, kRepaired, 1 << 8));
    if (job.allocated) {
      document::append_event(log, events::release(now));
      document::append_event(log, events::free(now));
    }
    document::append_event(log, events::clean(now));
    return log;
  }

  // Files that are not what was recorded are put aside, and no longer expected.
  void keep_files(JobId id, const std::string& text) {
    const meeting::JobFiles files = session_.files();
    std::vector<KeptFile> kept;
    try {
      kept = decode_kept_files(text);
    } catch (const Error& failure) {
      archive(id);
      transaction_.erase(Family::kvs, records::key::data(id, records::key::kFilesService));
      say(id, "the record of its files was given up: {}; what there was is in {}", failure.what(),
          quote(archive_path()));
      return;
    }
    bool changed = false;
    for (KeptFile& file : kept) {
      const auto fault = file.lost ? std::nullopt : fault_of_file(files, id, file);
      if (!fault) continue;
      file.lost = changed = true;
      const std::string path = data_path(files, id, file.name);
      if (!exists(path)) {
        say(id, "its guest.{} is lost: the file {}", file.name, *fault);
        continue;
      }
      make_directory(aside_);
      const std::string to = fmt::format("{}/{}.guest.{}", aside_, notation::to_dothex(id), file.name);
      rename_synced(path, to);
      say(id, "its guest.{} was given up: the file {}; it is now {}", file.name, *fault, quote(to));
    }
    if (changed)
      transaction_.put(Family::kvs, records::key::data(id, records::key::kFilesService),
                       encode_kept_files(kept));
  }

  void remove(JobId id) {
    std::vector<std::string> keys;
    for (const auto at = transaction_.scan_prefix(Family::kvs, records::key::job_directory(id)); at->valid();
         at->next()) {
      keys.emplace_back(at->key());
    }
    for (const std::string& key : keys) transaction_.erase(Family::kvs, key);
    transaction_.erase(Family::jobs, records::key::job(id));
  }

  [[nodiscard]] std::string archive_path() const { return aside_ + "/jobs"; }

  // Before anything of the job is changed.
  void archive(JobId id) {
    if (std::exchange(archived_, id) == id) return;
    if (!archive_) {
      make_directory(aside_);
      archive_ = std::make_unique<JobArchive>(archive_path());
    }
    archive_->add_documents(read_archived(transaction_, id));
  }

  const Session& session_;
  store::Transaction& transaction_;
  const std::string aside_;
  const Report& report_;
  std::optional<SignatureCheck> signatures_;  ///< none where the keys cannot be read
  sched::Pool pool_;
  std::set<JobId> running_;  ///< whose shells live, and that have been allocated in the pool
  std::unique_ptr<JobArchive> archive_;
  JobId archived_;  ///< the last
};

}  // namespace

void repair_jobs(const Session& session, store::Transaction& transaction, const std::string& aside,
                 const Report& report) {
  JobsRepair(session, transaction, aside, report).run();
}

}  // namespace fq::manager
