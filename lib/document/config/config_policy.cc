#include "document/config/config_policy.h"

#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "notation/fsd.h"

namespace fq::document {

using nlohmann::json;

namespace {

struct SizeKey {
  std::string_view name;
  std::string_view things;
  std::int64_t SizeLimits::*member;
};
constexpr std::array<SizeKey, 3> kSizeKeys{{{"nnodes", "nodes", &SizeLimits::nnodes},
                                            {"ncores", "cores", &SizeLimits::ncores},
                                            {"ngpus", "GPUs", &SizeLimits::ngpus}}};

void check_sizes(const ConfigAt& at) {
  at.allow_only({"nnodes", "ncores", "ngpus"});
  for (const ConfigAt& size : at.members()) {
    static_cast<void>(size.as_integer(SizeLimits::kNone, std::numeric_limits<std::int32_t>::max()));
  }
}

void check_defaults(const ConfigAt& at, PolicyOf of) {
  at.allow_only({"defaults"});
  const auto defaults = at.find("defaults");
  if (!defaults) return;
  defaults->allow_only({"system"});
  const auto system = defaults->find("system");
  if (!system) return;
  system->allow_only({"duration", "queue"});
  if (const auto duration = system->find("duration")) static_cast<void>(duration->as_duration());
  if (const auto queue = system->find("queue")) {
    static_cast<void>(queue->as_string());
    if (of != PolicyOf::all_queues) throw queue->fail("the default queue is set in the general policy");
  }
}

void check_limits(const ConfigAt& at, const OpaqueReader& read_limits) {
  at.allow_only({"duration", "job-size", "per-association"});
  if (const auto duration = at.find("duration")) static_cast<void>(duration->as_duration());
  if (const auto limits = at.find("per-association")) check_opaque(*limits, read_limits);
  const auto sizes = at.find("job-size");
  if (!sizes) return;
  sizes->allow_only({"max", "min"});
  for (const ConfigAt& bound : sizes->members()) check_sizes(bound);
}

// The value at the keys, or null.
const json* look(const json& table, std::initializer_list<std::string_view> keys) {
  const json* at = &table;
  for (const std::string_view key : keys) {
    const auto member = at->find(key);
    if (member == at->end()) return nullptr;
    at = &*member;
  }
  return at;
}

// 0 where it is not set, or infinite: neither a limit nor a default.
double duration(const json* text) {
  if (text == nullptr) return 0;
  const double seconds = notation::parse_fsd(text->get_ref<const std::string&>());
  return std::isinf(seconds) ? 0 : seconds;
}

SizeLimits sizes(const json* table) {
  SizeLimits limits;
  if (table == nullptr) return limits;
  for (const SizeKey& key : kSizeKeys)
    limits.*key.member = table->value(std::string{key.name}, SizeLimits::kNone);
  return limits;
}

std::optional<std::vector<std::string>> strings(const json* array) {
  if (array == nullptr) return std::nullopt;
  return array->get<std::vector<std::string>>();
}

}  // namespace

ConfigAt faulty_value(const ConfigAt& at, const TableFault& fault, const std::string& what) {
  if (!at.value().is_object()) return at;
  for (const ConfigAt& member : at.members()) {
    const TableFault of_member = [&](const json& value) {
      json table = json::object();
      table[std::string{member.key()}] = value;
      return fault(table);
    };
    if (of_member(member.value()) == what) return faulty_value(member, of_member, what);
  }
  return at;
}

void check_policy(const ConfigAt& at, PolicyOf of, const PolicyReaders& readers) {
  at.allow_only({"jobspec", "limits", "access", "priority", "scheduler"});
  if (const auto jobspec = at.find("jobspec")) check_defaults(*jobspec, of);
  if (const auto limits = at.find("limits")) check_limits(*limits, readers.limits);
  if (const auto access = at.find("access")) {
    access->allow_only({"allow-user", "allow-group"});
    for (const ConfigAt& list : access->members()) static_cast<void>(list.as_strings());
  }
  if (const auto scheduler = at.find("scheduler")) {
    if (of == PolicyOf::virtual_queue) {
      throw scheduler->fail("a virtual queue is served by the scheduler of its parent");
    }
    check_opaque(*scheduler, readers.scheduler);
    // Here only: what a queue inherits may stand beside what it says itself.
    if (const std::string key = readers.scheduler(scheduler->value()).unused; !key.empty())
      throw scheduler->find(key)->fail("it is for the built-in schedulers: give it or command, not both");
  }
  if (const auto priority = at.find("priority")) check_opaque(*priority, readers.priority);
}

QueuePolicy compile_policy(const json& table) {
  QueuePolicy policy;
  policy.default_duration_s = duration(look(table, {"jobspec", "defaults", "system", "duration"}));
  policy.max_duration_s = duration(look(table, {"limits", "duration"}));
  policy.max = sizes(look(table, {"limits", "job-size", "max"}));
  policy.min = sizes(look(table, {"limits", "job-size", "min"}));
  policy.allow_user = strings(look(table, {"access", "allow-user"}));
  policy.allow_group = strings(look(table, {"access", "allow-group"}));
  if (const json* scheduler = look(table, {"scheduler"})) policy.scheduler = dump_json(*scheduler);
  if (const json* priority = look(table, {"priority"})) policy.priority = dump_json(*priority);
  if (const json* limits = look(table, {"limits", "per-association"}))
    policy.per_association = dump_json(*limits);
  if (const json* prolog = look(table, {"prolog"})) policy.prolog = compile_perilog(*prolog);
  if (const json* epilog = look(table, {"epilog"})) policy.epilog = compile_perilog(*epilog);
  if (const json* own = look(table, {"housekeeping"})) policy.housekeeping = compile_perilog(*own);
  return policy;
}

void check_agreement(const ConfigAt& at, const QueuePolicy& policy) {
  for (const SizeKey& key : kSizeKeys) {
    const std::int64_t most = policy.max.*key.member, least = policy.min.*key.member;
    if (most != SizeLimits::kNone && least > most) {
      throw at.fail(fmt::format("jobs need at least {} {} and may have at most {}", least, key.things, most));
    }
  }
  if (policy.max_duration_s > 0 && policy.default_duration_s > policy.max_duration_s) {
    throw at.fail(fmt::format("the default duration {} is beyond the limit of {}",
                              notation::format_fsd(policy.default_duration_s),
                              notation::format_fsd(policy.max_duration_s)));
  }
}

json encode_policy(const QueuePolicy& policy) {
  json document = json::object();
  if (policy.default_duration_s > 0) document["default_duration"] = policy.default_duration_s;
  if (policy.max_duration_s > 0) document["max_duration"] = policy.max_duration_s;
  for (const SizeKey& key : kSizeKeys) {
    if (policy.max.*key.member != SizeLimits::kNone) document["max"][key.name] = policy.max.*key.member;
    if (policy.min.*key.member != SizeLimits::kNone) document["min"][key.name] = policy.min.*key.member;
  }
  if (policy.allow_user) document["allow_user"] = *policy.allow_user;
  if (policy.allow_group) document["allow_group"] = *policy.allow_group;
  if (!policy.scheduler.empty()) document["scheduler"] = policy.scheduler;
  if (!policy.priority.empty()) document["priority"] = policy.priority;
  if (!policy.per_association.empty()) document["per_association"] = policy.per_association;
  if (!policy.prolog.command.empty()) document["prolog"] = encode_perilog(policy.prolog);
  if (!policy.epilog.command.empty()) document["epilog"] = encode_perilog(policy.epilog);
  if (!policy.housekeeping.command.empty()) document["housekeeping"] = encode_perilog(policy.housekeeping);
  return document;
}

QueuePolicy decode_policy(const JsonAt& at) {
  QueuePolicy policy;
  if (const auto value = at.find("default_duration")) policy.default_duration_s = value->as_number();
  if (const auto value = at.find("max_duration")) policy.max_duration_s = value->as_number();
  const json& document = at.value();
  policy.max = sizes(look(document, {"max"}));
  policy.min = sizes(look(document, {"min"}));
  policy.allow_user = strings(look(document, {"allow_user"}));
  policy.allow_group = strings(look(document, {"allow_group"}));
  if (const auto value = at.find("scheduler")) policy.scheduler = value->as_string();
  if (const auto value = at.find("priority")) policy.priority = value->as_string();
  if (const auto value = at.find("per_association")) policy.per_association = value->as_string();
  if (const auto value = at.find("prolog")) policy.prolog = decode_perilog(*value);
  if (const auto value = at.find("epilog")) policy.epilog = decode_perilog(*value);
  if (const auto value = at.find("housekeeping")) policy.housekeeping = decode_perilog(*value);
  return policy;
}

}  // namespace fq::document
