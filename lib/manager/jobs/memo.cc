#include "manager/jobs/memo.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "job/events.h"
#include "manager/core/log_act.h"
#include "manager/core/permission.h"
#include "manager/core/post.h"
#include "manager/core/shares.h"
#include "records/keys.h"

namespace fq::manager {

using nlohmann::json;
using store::Family;

namespace {

json object_of(const std::string& text) {
  return text.empty() ? json::object() : parse_json(text, "memo");
}

void require_small(const json& memo) {
  const std::size_t size = dump_json(memo).size();
  if (size <= request::kMaxMemoBytes) return;
  throw error(Kind::refused, "the job's memo would be {} bytes: at most {}", size, request::kMaxMemoBytes);
}

}  // namespace

void add_memo(const Session& session, const MemoRequest& request) {
  const json update = parse_json(request.memo, "memo");
  JsonAt(update, "memo").object();
  transact(session, [&](Change& change) {
    const job::Job& job = change.job(request.id);
    require_access(change, job);
    require_active(job);
    require_share(change);
    const std::string key = records::key::memo(request.id);
    json before = object_of(
        request.keeps_no_event ? change.transaction().get(Family::instance, key).value_or("") : job.memo);
    before.merge_patch(update);
    require_small(before);
    log_act_on_others(change, "job-memo", {&request.id, 1}, {{"memo", update}});
    if (!request.keeps_no_event) {
      post(change, request.id, job::events::memo(change.now(), request.memo));
    } else if (before.empty()) {
      change.transaction().erase(Family::instance, key);
    } else {
      change.transaction().put(Family::instance, key, dump_json(before));
    }
  });
}

std::string full_memo(const store::Reader& reader, const job::Job& job) {
  const auto text = reader.get(Family::instance, records::key::memo(job.id));
  if (!text) return job.memo;
  json memo = object_of(job.memo);
  memo.merge_patch(object_of(*text));
  return dump_json(memo);
}

}  // namespace fq::manager
