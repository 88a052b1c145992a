#include "records/job_class.h"

#include <algorithm>
#include <cstring>

#include <sodium.h>

#include "base/error.h"
#include "document/jobspec/duration_bucket.h"
#include "records/aligned.h"
#include "records/flatbuffer_text.h"
#include "records_generated.h"

namespace fq::records {
namespace {

// What the members have in common as one text without ambiguity (each string after its length); its hash is
// the class's id.
std::string identity(const JobClass& c) {
  std::string out;
  for (const std::string* part : {&c.queue, &c.bank, &c.project, &c.qos, &c.constraint}) {
    out += fmt::format("{}:{},", part->size(), *part);
  }
  const document::ResourceCounts& r = c.counts;
  return out +=
         fmt::format("{} {} {} {} {} {} {} {} {}", c.userid, c.urgency, r.nnodes, r.nslots, r.slots_per_node,
                     r.cores_per_slot, r.gpus_per_slot, r.exclusive, c.duration_bucket);
}

}  // namespace

JobClass class_of(const job::Job& job) {
  JobClass c;
  c.queue = job.queue;
  c.bank = job.bank;
  c.project = job.project;
  c.qos = job.qos;
  c.constraint = job.constraint;
  c.userid = job.userid;
  c.urgency = job.urgency;
  c.counts = job.counts;
  c.duration_bucket = document::duration_bucket(job.duration);
  const std::string bytes = identity(c);
  ::crypto_generichash(reinterpret_cast<unsigned char*>(c.id.data()), c.id.size(),
                       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  return c;
}

std::string encode(const JobClass& c) {
  flatbuffers::FlatBufferBuilder builder(256);
  const auto string = [&](const std::string& value) {
    return value.empty() ? flatbuffers::Offset<flatbuffers::String>{} : builder.CreateString(value);
  };
  const auto queue = string(c.queue), bank = string(c.bank), project = string(c.project), qos = string(c.qos),
             constraint = string(c.constraint);
  builder.Finish(flat::CreateClassRecord(builder, queue, c.userid, bank, project, qos, c.urgency,
                                         c.counts.nnodes, c.counts.nslots, c.counts.slots_per_node,
                                         c.counts.cores_per_slot, c.counts.gpus_per_slot, c.counts.exclusive,
                                         constraint, c.duration_bucket, c.count, c.head_time, c.head.value));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

JobClass decode_class(std::string_view key, std::string_view bytes) {
  JobClass c;
  const Aligned aligned(bytes);
  flatbuffers::Verifier verifier(aligned.data(), aligned.size());
  const std::string_view id = key.substr(std::min(key.size(), key::kClassPrefix.size()));
  if (id.size() != c.id.size() || !verifier.VerifyBuffer<flat::ClassRecord>(nullptr)) {
    throw error(Kind::unavailable, "a class record is damaged");
  }
  const auto& record = *flatbuffers::GetRoot<flat::ClassRecord>(aligned.data());
  std::memcpy(c.id.data(), id.data(), c.id.size());
  c.queue = text(record.queue());
  c.bank = text(record.bank());
  c.project = text(record.project());
  c.qos = text(record.qos());
  c.constraint = text(record.constraint());
  c.userid = record.userid();
  c.urgency = record.urgency();
  c.counts = {record.nnodes(),         record.nslots(),        record.slots_per_node(),
              record.cores_per_slot(), record.gpus_per_slot(), record.exclusive()};
  c.duration_bucket = record.duration_bucket();
  c.count = record.count();
  c.head_time = record.head_time();
  c.head = JobId{record.head_id()};
  return c;
}

}  // namespace fq::records
