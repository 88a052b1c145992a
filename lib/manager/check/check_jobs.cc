#include "manager/check/check_jobs.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "document/resource/resource_set.h"
#include "job/actions.h"
#include "job/apply.h"
#include "manager/check/check_signature.h"
#include "manager/core/dependants.h"
#include "manager/core/singleton.h"
#include "records/dependant_notice.h"
#include "records/housekeeping.h"
#include "records/instance.h"
#include "records/job_age.h"
#include "records/job_class.h"
#include "records/job_documents.h"
#include "records/job_index.h"
#include "records/job_record.h"
#include "records/job_table.h"

namespace fq::manager {

using notation::JobId;
using store::Family;

namespace {

class JobsCheck {
 public:
  JobsCheck(const store::Reader& reader, const Report& report, const Signatures* signatures)
      : reader_(reader), ages_(reader), report_(report) {
    check_part(report_, "signatures",
               [&] { signatures_.emplace(signatures, records::read_store_info(reader).owner); });
  }

  Expected run() {
    check_part(report_, "the inventory", [&] {
      expected_.pool = std::make_unique<sched::Pool>(std::make_shared<const document::ResourceSet>(
          document::ResourceSet::parse(records::read_inventory(reader_))));
    });
    records::JobDocumentCursor cursor(
        reader_, {}, [&](std::string_view key) { say("{} is the document of no job", quote(key)); },
        records::Measure::yes);
    auto documents = cursor.next();
    const auto record = reader_.scan(Family::jobs, "", "");
    while (documents || record->valid()) {
      if (record->valid() && record->key().size() != sizeof(std::uint64_t)) {
        say("a job record has the key {}", quote(record->key()));
        record->next();
        continue;
      }
      const bool has_record =
          record->valid() && (!documents || records::key::job_of(record->key()) <= documents->id);
      const bool has_documents =
          documents && (!record->valid() || documents->id <= records::key::job_of(record->key()));
      const JobId id = has_record ? records::key::job_of(record->key()) : documents->id;
      expected_.last_id = std::max(expected_.last_id, id);
      ++expected_.jobs;
      check_job(id, has_documents ? &*documents : nullptr,
                has_record ? std::optional<std::string_view>{record->value()} : std::nullopt);
      if (has_documents) documents = cursor.next();
      if (has_record) record->next();
    }
    check_part(report_, "housekeeping", [&] {
      for (const records::Housekeeping& each : records::read_housekeepings(reader_)) {
        expected_.last_id = std::max(expected_.last_id, each.id);
        if (expected_.pool) expected_.pool->allocate(document::ResourceSet::parse(each.R));
      }
    });
    return std::move(expected_);
  }

 private:
  template <typename... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    report_(fmt::format(format, std::forward<Args>(args)...));
  }

  void check_job(JobId id, const records::JobDocuments* documents,
                 const std::optional<std::string_view>& record) {
    std::optional<job::Job> stored, replayed;
    if (record) {
      check_part(report_, fmt::format("job {}", id), [&] {
        stored = records::decode_job(*record);
        if (stored->id == id) return;
        say("job {}: its record says {}", id, stored->id);
        stored.reset();
      });
    }
    if (documents == nullptr) {
      say("job {}: it has a record and no documents", id);
    } else if (documents->eventlog && records::is_unfinished_submission(*documents->eventlog)) {
      say("job {}: its submission was not finished", id);
    } else {
      check_part(report_, fmt::format("job {}", id), [&] { replayed = replay(*documents); });
      if (!record) say("job {}: it has no record", id);
      if (stored && replayed && *stored != *replayed)
        say("job {}: its record is not what its event log gives", id);
    }
    // What is derived follows the record, where it is there: else each thing would be told once more.
    if (stored) check_part(report_, fmt::format("job {}", id), [&] { expect(*stored); });
    if (documents == nullptr || !stored) return;
    check_part(report_, fmt::format("job {}", id), [&] {
      const auto fault = signatures_ ? signatures_->fault_of(*stored, *documents) : std::nullopt;
      if (fault) throw Error{Kind::invalid, *fault};
    });
    expected_.counts[records::key::stored_bytes(stored->userid)] += bytes_of(*documents);
    if (stored->allocated) check_part(report_, fmt::format("job {}", id), [&] { hold(*documents); });
    if (documents->files) check_part(report_, fmt::format("job {}", id), [&] { keep(*documents); });
  }

  static job::Job replay(const records::JobDocuments& documents) {
    if (!documents.eventlog) throw Error{Kind::invalid, "it has no event log"};
    if (!documents.jobspec) throw Error{Kind::invalid, "it has no jobspec"};
    job::Job job =
        job::replay(documents.id, *documents.jobspec, *documents.eventlog, documents.r.value_or(""));
    if (job.t_submit == 0) throw Error{Kind::invalid, "its event log is empty"};
    if (job.attempt > 0 && !documents.r) throw Error{Kind::invalid, "it has no R"};
    return job;
  }

  void expect(const job::Job& job) {
    for (const std::string& key : records::index_keys(job, ages_)) {
      if (reader_.get(Family::index, key)) {
        ++expected_.index_entries;
      } else {
        say("job {}: its index entry {} is missing", job.id, quote(key));
      }
    }
    for (const std::string& key : records::count_keys(job)) ++expected_.counts[key];
    if (job.state == job::State::sched) add_to_class(job);
    if (job::due_event(job)) say("job {}: an event is due and was not posted", job.id);
    if (job.state == job::State::depend) check_dependencies(job);
    if ((job.flags & job::kFlagWaitable) != 0 && job::is_active(job.state)) {
      const std::string key =
          records::key::waitable(job.userid, records::key::WaitPhase::active, job.t_submit, job.id);
      if (!reader_.get(Family::instance, key)) say("job {}: nothing says that it is waitable", job.id);
    }
  }

  void add_to_class(const job::Job& job) {
    ClassMembers& members = expected_.classes[records::class_of(job).id];
    const std::uint64_t time = records::to_microseconds(ages_.waits_since(job));
    if (members.count == 0 || std::pair{time, job.id} < std::pair{members.head_time, members.head}) {
      members.head_time = time;
      members.head = job.id;
    }
    ++members.count;
  }

  // What a job waits for can still come.
  void check_dependencies(const job::Job& job) {
    for (const std::string& description : job.dependencies) {
      const document::Dependency dependency = document::parse_description(description);
      if (!is_on_a_job(dependency.kind)) continue;
      const auto on = records::find_job(reader_, dependency.job);
      if (on && dependency_state(dependency.kind, *on) != DependencyState::waiting &&
          !records::is_to_be_notified(reader_, on->id, job.id)) {
        say("job {} waits for job {}, of which nothing more will come", job.id, on->id);
      }
    }
    const std::optional<NameHold> name = name_hold(job);
    if (!name || !name->waits) return;
    const std::string taken = records::key::named_prefix(name->userid, name->name, /*waits=*/false);
    if (!reader_.scan_prefix(Family::index, taken)->valid())
      say("job {} waits for the name {}, which nobody has", job.id, quote(job.name));
  }

  // What running jobs hold is the inventory's, and no two hold the same.
  void hold(const records::JobDocuments& documents) {
    if (expected_.pool && documents.r) expected_.pool->allocate(document::ResourceSet::parse(*documents.r));
  }

  void keep(const records::JobDocuments& documents) {
    for (KeptFile& file : decode_kept_files(*documents.files)) {
      if (!file.lost) expected_.data.push_back({documents.id, std::move(file)});
    }
  }

  const store::Reader& reader_;
  records::JobAges ages_;
  const Report& report_;
  std::optional<SignatureCheck> signatures_;  ///< none where the keys cannot be read
  Expected expected_;
};

}  // namespace

void check_part(const Report& report, std::string_view what, const std::function<void()>& part) {
  try {
    part();
  } catch (const Error& failure) {
    report(fmt::format("{}: {}", what, failure.what()));
  } catch (const std::exception& failure) {
    report(fmt::format("{}: {}", what, printable(failure.what())));
  }
}

Expected check_jobs(const store::Reader& reader, const Report& report, const Signatures* signatures) {
  return JobsCheck(reader, report, signatures).run();
}

}  // namespace fq::manager
