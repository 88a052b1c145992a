#include "manager/core/permission.h"

#include <algorithm>

#include "base/error.h"
#include "manager/core/caller_names.h"
#include "records/instance.h"
#include "records/job_table.h"
#include "records/purged.h"
#include "records/queues.h"
#include "records/signed_requests.h"
#include "signature/refused.h"
#include "signature/signed_request.h"

namespace fq::manager {

namespace {

bool is_named(const std::vector<std::string>& operators, const process::Names& names) {
  return std::ranges::any_of(operators, [&](std::string_view name) {
    if (!name.starts_with(document::kGroupMark)) return name == names.user;
    return std::ranges::find(names.groups, name.substr(1)) != names.groups.end();
  });
}

bool is_operator(const store::Reader& reader, const Credential& caller, std::uint32_t owner) {
  if (is_owner(caller, owner)) return true;
  const std::vector<std::string> operators = records::read_access(reader).operators;
  return !operators.empty() && is_named(operators, caller_names(caller));
}

// Who signed the job, if that is somebody who has not the caller's name, though the number.
std::optional<std::string> other_signer(const store::Reader& reader, const Credential& caller,
                                        const job::Job& job) {
  if (caller.login.empty()) return std::nullopt;
  const auto request = records::read_signed_request(reader, job.id);
  if (!request) return std::nullopt;
  try {
    std::string name = signature::signer_name(request->J);
    if (name != caller.login) return name;
  } catch (const signature::Refused&) {
    return "nobody";
  }
  return std::nullopt;
}

Error was_anothers(const store::Reader& reader, const Credential& caller, const job::Job& job) {
  return error(Kind::permission, "job {} is of {}, who was user {} before {}", job.id,
               quote(other_signer(reader, caller, job).value_or("")), job.userid, quote(caller.login));
}

}  // namespace

bool is_owner(const Credential& caller, std::uint32_t owner) {
  constexpr std::uint32_t kRoot = 0;
  return caller.uid == owner || caller.uid == kRoot;
}

bool is_operator(const store::Reader& reader, const Credential& caller) {
  return is_operator(reader, caller, records::read_store_info(reader).owner);
}

bool is_operator(Change& change) {
  return is_operator(change.transaction(), change.caller(), change.info().owner);
}

bool is_operator(const Session& session) {
  bool is = false;
  with_names(session, [&](const Session& with) {
    query(with, [&](const store::Reader& reader) { is = is_operator(reader, with.caller); });
  });
  return is;
}

std::string_view operators_text(const store::Reader& reader) {
  return records::read_access(reader).operators.empty() ? "the owner" : "the owner or an operator";
}

void require_operator(const store::Reader& reader, const Credential& caller, std::string_view act) {
  if (!is_operator(reader, caller))
    throw error(Kind::permission, "only {} may {}", operators_text(reader), act);
}

void require_operator(Change& change, std::string_view act) {
  if (!is_operator(change))
    throw error(Kind::permission, "only {} may {}", operators_text(change.transaction()), act);
}

void require_operator(const Session& session, std::string_view act) {
  query(session, [&](const store::Reader& reader) { require_operator(reader, session.caller, act); });
}

bool Rights::is_operator() {
  if (!is_operator_) is_operator_ = manager::is_operator(reader_, caller_);
  return *is_operator_;
}

bool Rights::is_user_of(const job::Job& job) const {
  return job.userid == caller_.uid && !other_signer(reader_, caller_, job);
}

void Rights::require_access(const job::Job& job) {
  if (may_act(job)) return;
  require_sight(job);
  if (job.userid == caller_.uid) throw was_anothers(reader_, caller_, job);
  throw error(Kind::permission, "job {} belongs to user {}", job.id, job.userid);
}

bool Rights::sees_all() {
  if (!sees_all_) sees_all_ = !records::read_access(reader_).is_private || is_operator();
  return *sees_all_;
}

void Rights::require_sight(const job::Job& job) {
  if (!sees(job.userid)) throw error(Kind::not_found, "job {} does not exist", job.id);
}

bool Rights::is_hidden(notation::JobId id) {
  if (sees_all()) return false;
  const auto job = records::find_job(reader_, id);
  return job ? job->userid != caller_.uid : records::find_purged(reader_, id).has_value();
}

job::Job Rights::require_job(notation::JobId id) {
  auto job = records::find_job(reader_, id);
  if (!job) throw no_such_job(id);
  require_sight(*job);
  return *std::move(job);
}

Error Rights::no_such_job(notation::JobId id) {
  if (!sees_all()) return error(Kind::not_found, "job {} does not exist", id);
  return records::no_such_job(reader_, id);
}

void require_access(Change& change, const job::Job& job) {
  require_access(change.transaction(), change.caller(), job);
}

void require_access(const store::Reader& reader, const Credential& caller, const job::Job& job) {
  Rights(reader, caller).require_access(job);
}

void settle_access(Change& change, std::span<const notation::JobId> jobs) {
  const store::Reader& reader = change.transaction();
  const Credential& caller = change.caller();
  if (caller.names || is_owner(caller, change.info().owner) || records::read_access(reader).operators.empty())
    return;
  for (const notation::JobId id : jobs) {
    const auto job = records::find_job(reader, id);
    if (!job || job->userid != caller.uid) return static_cast<void>(caller_names(caller));
  }
}

void require_urgency(Change& change, std::uint8_t urgency) {
  if (urgency > job::kUrgencyExpedite)
    throw error(Kind::usage, "expected an urgency from 0 to {}, got {}", job::kUrgencyExpedite, urgency);
  if (urgency <= job::kUrgencyUserMax || is_operator(change)) return;
  throw error(Kind::permission, "urgency {} is reserved for {}: at most {}", urgency,
              operators_text(change.transaction()), job::kUrgencyUserMax);
}

void require_active(const job::Job& job) {
  if (!job::is_active(job.state)) throw error(Kind::refused, "job {} is inactive", job.id);
}

}  // namespace fq::manager
