#include "records/job_record.h"

#include "base/error.h"
#include "records/aligned.h"
#include "records/flatbuffer_text.h"
#include "records_generated.h"

namespace fq::records {

std::string encode(const job::Job& job) {
  flatbuffers::FlatBufferBuilder builder(512);
  // An empty string is left out; absent reads back as empty.
  const auto string = [&](const std::string& value) {
    return value.empty() ? flatbuffers::Offset<flatbuffers::String>{} : builder.CreateString(value);
  };
  const auto name = string(job.name), cwd = builder.CreateSharedString(job.cwd), queue = string(job.queue),
             bank = string(job.bank), project = string(job.project), qos = string(job.qos),
             constraint = string(job.constraint), annotations = string(job.annotations),
             memo = string(job.memo), exception_type = string(job.exception.type),
             exception_note = string(job.exception.note), boot_id = string(job.boot_id),
             ranks = string(job.ranks), nodelist = string(job.nodelist);
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>> dependencies;
  if (!job.dependencies.empty()) dependencies = builder.CreateVectorOfStrings(job.dependencies);

  flat::JobRecordBuilder record(builder);
  record.add_id(job.id.value);
  record.add_name(name);
  record.add_cwd(cwd);
  record.add_queue(queue);
  record.add_bank(bank);
  record.add_project(project);
  record.add_qos(qos);
  record.add_constraint(constraint);
  record.add_ntasks(job.ntasks);
  record.add_req_nnodes(job.counts.nnodes);
  record.add_req_nslots(job.counts.nslots);
  record.add_req_slots_per_node(job.counts.slots_per_node);
  record.add_req_cores_per_slot(job.counts.cores_per_slot);
  record.add_req_gpus_per_slot(job.counts.gpus_per_slot);
  record.add_req_exclusive(job.counts.exclusive);
  record.add_duration(job.duration);
  record.add_state(static_cast<std::uint8_t>(job.state));
  record.add_userid(job.userid);
  record.add_flags(job.flags);
  record.add_urgency(job.urgency);
  record.add_priority(job.priority);
  record.add_dependencies(dependencies);
  record.add_annotations(annotations);
  record.add_memo(memo);
  record.add_exception_occurred(job.exception.occurred);
  record.add_exception_severity(job.exception.severity);
  record.add_exception_type(exception_type);
  record.add_exception_note(exception_note);
  record.add_allocated(job.allocated);
  record.add_started(job.started);
  record.add_finished(job.finished);
  record.add_wait_status(job.wait_status);
  record.add_attempt(job.attempt);
  record.add_boot_id(boot_id);
  record.add_t_submit(job.t_submit);
  record.add_t_depend(job.t_depend);
  record.add_t_priority(job.t_priority);
  record.add_t_sched(job.t_sched);
  record.add_t_run(job.t_run);
  record.add_t_cleanup(job.t_cleanup);
  record.add_t_inactive(job.t_inactive);
  record.add_ranks(ranks);
  record.add_nodelist(nodelist);
  record.add_nnodes(job.nnodes);
  record.add_ncores(job.ncores);
  record.add_ngpus(job.ngpus);
  record.add_expiration(job.expiration);
  record.add_named(job.named);
  record.add_expiration_moved(job.expiration_moved);
  record.add_number(job.number);
  record.add_t_eligible(job.t_eligible);
  record.add_preemption(static_cast<std::uint8_t>(job.preemption));
  record.add_preempted_by(job.preempted_by.value);
  record.add_t_preempt(job.t_preempt);
  record.add_requeues(job.requeues);
  record.add_t_requeue(job.t_requeue);
  record.add_prologs(job.prologs);
  record.add_epilogs(job.epilogs);
  record.add_epilog_done(job.epilog_done);
  record.add_prolog_failed(job.prolog_failed);
  builder.Finish(record.Finish());
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

job::Job decode_job(std::string_view bytes) {
  const Aligned aligned(bytes);
  flatbuffers::Verifier verifier(aligned.data(), aligned.size());
  if (!flat::VerifyJobRecordBuffer(verifier)) throw error(Kind::unavailable, "a job record is damaged");
  const flat::JobRecord& record = *flat::GetJobRecord(aligned.data());
  if (record.state() >= job::kStateCount) throw error(Kind::unavailable, "a job record has an unknown state");
  if (record.preemption() > static_cast<std::uint8_t>(job::Preemption::cancel))
    throw error(Kind::unavailable, "a job record has an unknown preemption");
  job::Job job;
  job.id = notation::JobId{record.id()};
  job.name = text(record.name());
  job.cwd = text(record.cwd());
  job.queue = text(record.queue());
  job.bank = text(record.bank());
  job.project = text(record.project());
  job.qos = text(record.qos());
  job.constraint = text(record.constraint());
  job.ntasks = record.ntasks();
  job.counts = {record.req_nnodes(),         record.req_nslots(),        record.req_slots_per_node(),
                record.req_cores_per_slot(), record.req_gpus_per_slot(), record.req_exclusive()};
  job.duration = record.duration();
  job.state = static_cast<job::State>(record.state());
  job.userid = record.userid();
  job.flags = record.flags();
  job.urgency = record.urgency();
  job.priority = record.priority();
  if (record.dependencies() != nullptr) {
    for (const auto* description : *record.dependencies()) job.dependencies.push_back(description->str());
  }
  job.annotations = text(record.annotations());
  job.memo = text(record.memo());
  job.exception = {record.exception_occurred(), record.exception_severity(), text(record.exception_type()),
                   text(record.exception_note())};
  job.allocated = record.allocated();
  job.started = record.started();
  job.finished = record.finished();
  job.wait_status = record.wait_status();
  job.attempt = record.attempt();
  job.boot_id = text(record.boot_id());
  job.t_submit = record.t_submit();
  job.t_depend = record.t_depend();
  job.t_priority = record.t_priority();
  job.t_sched = record.t_sched();
  job.t_run = record.t_run();
  job.t_cleanup = record.t_cleanup();
  job.t_inactive = record.t_inactive();
  job.ranks = text(record.ranks());
  job.nodelist = text(record.nodelist());
  job.nnodes = record.nnodes();
  job.ncores = record.ncores();
  job.ngpus = record.ngpus();
  job.expiration = record.expiration();
  job.named = record.named();
  job.expiration_moved = record.expiration_moved();
  job.number = record.number();
  job.t_eligible = record.t_eligible();
  job.preemption = static_cast<job::Preemption>(record.preemption());
  job.preempted_by = notation::JobId{record.preempted_by()};
  job.t_preempt = record.t_preempt();
  job.requeues = record.requeues();
  job.t_requeue = record.t_requeue();
  job.prologs = record.prologs();
  job.epilogs = record.epilogs();
  job.epilog_done = record.epilog_done();
  job.prolog_failed = record.prolog_failed();
  return job;
}

}  // namespace fq::records
