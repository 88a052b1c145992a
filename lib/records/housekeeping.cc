#include "records/housekeeping.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "records/keys.h"

namespace fq::records {

using nlohmann::json;
using notation::JobId;
using store::Family;

namespace {

constexpr std::string_view kWhat = "housekeeping";

JobId id_at(const JsonAt& at) {
  if (!at.value().is_number_unsigned()) throw at.fail("expected a job id");
  return JobId{at.value().get<std::uint64_t>()};
}

Housekeeping decode(JobId id, std::string_view text) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const json document = parse_json(text, kWhat);
  const JsonAt at{document, std::string{kWhat}};
  Housekeeping housekeeping;
  housekeeping.id = id;
  housekeeping.job = id_at(at.at("job"));
  if (const auto by = at.find("preempted_by")) housekeeping.preempted_by = id_at(*by);
  housekeeping.job_attempt = static_cast<std::uint32_t>(at.at("job_attempt").as_integer(1, kMost));
  housekeeping.userid = static_cast<std::uint32_t>(at.at("userid").as_integer(0, kMost));
  housekeeping.jobspec = at.at("jobspec").as_string();
  housekeeping.R = at.at("R").as_string();
  if (const auto status = at.find("status"))
    housekeeping.status = static_cast<std::int32_t>(status->as_integer(INT32_MIN, INT32_MAX));
  housekeeping.what = document::decode_perilog(at.at("what"));
  housekeeping.attempt = static_cast<std::uint32_t>(at.at("attempt").as_integer(1, kMost));
  housekeeping.boot_id = at.at("boot_id").as_string();
  housekeeping.t_start = at.at("t_start").as_number();
  return housekeeping;
}

}  // namespace

double planned_end(const Housekeeping& housekeeping) {
  const double time = housekeeping.what.timeout_s > 0
                          ? housekeeping.what.timeout_s + housekeeping.what.kill_timeout_s
                          : document::kEndlessHold;
  return housekeeping.t_start + time;
}

std::optional<Housekeeping> find_housekeeping(const store::Reader& reader, JobId id) {
  const auto text = reader.get(Family::instance, key::housekeeping(id));
  if (!text) return std::nullopt;
  return decode(id, *text);
}

std::vector<Housekeeping> read_housekeepings(const store::Reader& reader) {
  std::vector<Housekeeping> all;
  for (const auto at = reader.scan_prefix(Family::instance, key::kHousekeepingPrefix); at->valid();
       at->next()) {
    if (at->key().size() == key::kHousekeepingPrefix.size() + sizeof(std::uint64_t))
      all.push_back(decode(key::indexed_job(at->key()), at->value()));
  }
  return all;
}

bool any_housekeeping(const store::Reader& reader) {
  return reader.scan_prefix(Family::instance, key::kHousekeepingPrefix)->valid();
}

void write_housekeeping(store::Transaction& transaction, const Housekeeping& housekeeping) {
  json record{{"job", housekeeping.job.value},
              {"job_attempt", housekeeping.job_attempt},
              {"userid", housekeeping.userid},
              {"jobspec", housekeeping.jobspec},
              {"R", housekeeping.R},
              {"what", document::encode_perilog(housekeeping.what)},
              {"attempt", housekeeping.attempt},
              {"boot_id", housekeeping.boot_id},
              {"t_start", housekeeping.t_start}};
  if (housekeeping.status) record["status"] = *housekeeping.status;
  if (housekeeping.preempted_by != JobId{}) record["preempted_by"] = housekeeping.preempted_by.value;
  transaction.put(Family::instance, key::housekeeping(housekeeping.id), dump_json(record));
}

void erase_housekeeping(store::Transaction& transaction, JobId id) {
  transaction.erase(Family::instance, key::housekeeping(id));
}

}  // namespace fq::records
