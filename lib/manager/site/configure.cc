#include "manager/site/configure.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/config/config_programs.h"
#include "document/config/queue_instances.h"
#include "manager/accounts/charging.h"
#include "manager/accounts/edit.h"
#include "manager/core/change.h"
#include "manager/core/inventory.h"
#include "manager/core/log_act.h"
#include "manager/core/permission.h"
#include "manager/engine/store_check.h"
#include "manager/pass/scheduler_retry.h"
#include "manager/site/instance_change.h"
#include "priority/account_limits.h"
#include "priority/accounting.h"
#include "priority/parameters.h"
#include "process/start/child_channel.h"
#include "process/start/roots_program.h"
#include "records/accounts.h"
#include "records/drains.h"
#include "records/instance.h"
#include "records/priority_facts.h"
#include "records/queues.h"
#include "sched/factory.h"

namespace fq::manager {

namespace {

document::SchedulerFacts facts_of(const nlohmann::json& table, const sched::Parameters& parameters) {
  return {parameters.tier, parameters.preempt, sched::unused_beside_command(table)};
}

const document::PolicyReaders& policy_readers() {
  static const document::PolicyReaders kReaders{
      [](const nlohmann::json& table) { return facts_of(table, sched::read_parameters(table)); },
      [](const nlohmann::json& table) { static_cast<void>(priority::read_parameters(table)); },
      [](const nlohmann::json& table) { static_cast<void>(priority::read_accounting(table)); },
      [](const nlohmann::json& table) { static_cast<void>(priority::read_limits(table)); }};
  return kReaders;
}

// An operator chooses among the programs that the owner has named, and names no operators.
void refuse_owners_part(const std::string& in_force, const nlohmann::json& wanted) {
  const nlohmann::json before = parse_json(in_force, "configuration");
  const auto access = [](const nlohmann::json& document) {
    const auto at = document.find("access");
    return at == document.end() ? nlohmann::json::object() : *at;
  };
  if (access(before) != access(wanted)) throw Error{Kind::permission, "only the owner may change access"};
  const auto known = document::named_programs(before);
  for (const std::vector<std::string>& program : document::named_programs(wanted)) {
    if (known.contains(program)) continue;
    throw Error{
        Kind::permission, fmt::format("only the owner may have {} run", quote(join(program, " "))),
        "an operator chooses among the programs, with their arguments, of the configuration in force"};
  }
}

// In the store that users share.
void refuse_programs_of_others(const std::string& store, const nlohmann::json& wanted) {
  for (const std::vector<std::string>& program : document::named_programs(wanted)) {
    if (program.empty()) continue;
    if (const std::string why = process::why_not_roots(store, program.front()); !why.empty())
      throw Error{Kind::invalid, why};
  }
}

// What somebody loads must be there, too; a program may go away afterwards.
document::PolicyReaders loaded_policy_readers() {
  document::PolicyReaders readers = policy_readers();
  readers.program = [](const std::string& program) {
    if (const std::string why = process::why_not_executable(program); !why.empty())
      throw error(Kind::invalid, "cannot run {}: {}", quote(program), why);
  };
  readers.scheduler = [check = readers.program](const nlohmann::json& table) {
    const sched::Parameters parameters = sched::read_parameters(table);
    if (parameters.command.empty()) return facts_of(table, parameters);
    try {
      check(parameters.command.front());
    } catch (const Error& failure) {
      throw failure.within("command");
    }
    return facts_of(table, parameters);
  };
  return readers;
}

// What a configuration says of accounts that one may not expect of it.
std::vector<std::string> accounting_notes(const store::Reader& reader, const std::string& table) {
  std::vector<std::string> notes;
  if (table.empty()) return notes;
  const priority::Accounting accounting = priority::decode_accounting(table);
  if (accounting.rate() == 0)
    notes.emplace_back("accounting.half-life: there is no decay: what was used is never forgotten");
  const std::string& bank = accounting.default_bank;
  const auto found = bank.empty() ? std::nullopt : records::find_bank(reader, bank);
  if (!bank.empty() && (!found || found->closed)) {
    const Error unknown = records::no_such_bank(reader, bank);
    notes.push_back(
        fmt::format("accounting.default-bank: {}{}", unknown.what(),
                    unknown.hint().empty() ? std::string{} : fmt::format(" ({})", unknown.hint())));
  }
  return notes;
}

// What has become of nodes that were drained, and are excluded now.
std::vector<std::string> exclusion_notes(const store::Reader& reader, const notation::Idset& drained) {
  const document::ResourceSet excluded = read_excluded(reader);
  const document::ResourceSet ended = excluded.subset(drained.intersect(excluded.ranks()));
  if (ended.empty()) return {};
  return {fmt::format("resource.exclude: {} {} drained no more: what is excluded runs no jobs as it is",
                      ended.nodelist(), ended.nnodes() == 1 ? "is" : "are")};
}

}  // namespace

std::vector<VanishedQueue> vanished_queues(const store::Reader& reader,
                                           const std::vector<std::string>& present) {
  std::map<std::string, VanishedQueue> vanished;
  for (const auto& [queue, counts] : records::read_counts_by_queue(reader)) {
    if (std::binary_search(present.begin(), present.end(), queue)) continue;
    VanishedQueue gone{queue};
    for (const auto& [status, count] : counts) {
      if (status == "D" || status == "P" || status == "S") gone.pending += count;
      if (status == "R" || status == "C") gone.running += count;
    }
    if (gone.pending + gone.running > 0) vanished.emplace(queue, gone);
  }
  std::vector<VanishedQueue> list;
  for (auto& [name, queue] : vanished) list.push_back(std::move(queue));
  return list;
}

void refuse_stranding(const std::vector<VanishedQueue>& vanished) {
  for (const VanishedQueue& queue : vanished) {
    if (queue.pending == 0) continue;
    const std::string name =
        queue.name.empty() ? std::string{"the queue without a name"} : "queue " + quote(queue.name);
    throw Error{Kind::refused,
                fmt::format("{} would be gone, and {} job{} in it", name, queue.pending,
                            queue.pending == 1 ? " waits" : "s wait"),
                "--force lets them wait until it is back or they are moved: fq update ID queue=NAME"};
  }
}

document::Config compile_config(const nlohmann::json& document, const document::ResourceSet& inventory) {
  return document::read_config(document, nullptr, inventory, policy_readers());
}

document::Config check_config(const document::ConfigSource& source, const document::ResourceSet& inventory) {
  document::Config config =
      document::read_config(source.document(), &source, inventory, loaded_policy_readers());
  for (const document::QueueInstance& instance : config.instances) {
    try {
      static_cast<void>(compile_config(document::instance_document(config.document, instance),
                                       document::instance_nodes(config.inventory, instance)));
    } catch (const Error& failure) {
      throw failure.within(fmt::format("the instance that is queue {}", quote(instance.queue)));
    }
  }
  return config;
}

void refuse_instances(const std::string& path, const document::Config& config) {
  if (config.instances.empty() || path != kSystemStore) return;
  throw Error{Kind::refused, fmt::format("the queue {} cannot be an instance: users share this store",
                                         quote(config.instances.front().queue))};
}

notation::Idset put_config(Change& change, const document::ResourceSet& nodes, const Compile& compile) {
  const store::Transaction& transaction = change.transaction();
  const priority::Accounting accounting = records::read_accounting(transaction);
  bool numbers = false;
  const notation::Idset leaving = replace_nodes(change, nodes, [&](const document::ResourceSet& of) {
    document::Config config = compile(of);
    numbers = records::needs_job_numbers(config.queues);
    return config;
  });
  forget_retries(change.transaction());
  if (numbers) change.number_jobs();
  if (records::read_accounting(transaction).rate() != accounting.rate()) settle_usage(change, accounting);
  count_limited_uses(change);
  return leaving;
}

document::Config check_config(const document::ConfigSource& source,
                              const std::optional<document::ResourceSet>& nodes,
                              const store::Reader& reader) {
  return check_config(source, nodes ? with_known_ranks(*nodes, reader) : read_nodes(reader));
}

LoadReply load_config(const Session& session, const document::ConfigSource& source, bool force,
                      const std::optional<document::ResourceSet>& nodes,
                      const std::optional<std::string>& replaces) {
  LoadReply reply;
  const auto require_replaced = [&](const std::string& in_force) {
    if (replaces && in_force != *replaces)
      throw Error{Kind::refused, "another configuration was loaded meanwhile", "try again"};
  };
  if (replaces) require_replaced(loaded_config(session));
  InstanceChange instances(session);
  if (instances.concerns(source.document()))
    instances.prepare(check_config(source, nodes, session).config, force);
  transact(session, [&](Change& change) {
    require_operator(change, "load a configuration");
    if (replaces) require_replaced(records::read_config_document(change.transaction()));
    if (!is_owner(change.caller(), change.info().owner))
      refuse_owners_part(records::read_config_document(change.transaction()), source.document());
    refuse_programs_of_others(session.store, source.document());
    const store::Transaction& transaction = change.transaction();
    instances.record(change);
    const auto wanted = nodes ? with_known_ranks(*nodes, transaction) : read_nodes(transaction);
    const notation::Idset drained = records::drained_ranks(transaction);
    std::vector<std::string> names;
    std::string accounting;
    const notation::Idset leaving = put_config(change, wanted, [&](const document::ResourceSet& of) {
      document::Config config = check_config(source, of);
      instances.require_same(config);
      names.clear();
      for (const document::QueueConfig& queue : config.queues) names.push_back(queue.name);
      accounting = config.accounting;
      return config;
    });
    reply.notes = accounting_notes(transaction, accounting);
    std::ranges::move(exclusion_notes(transaction, drained), std::back_inserter(reply.notes));
    reply.vanished = vanished_queues(transaction, names);
    if (!force) refuse_stranding(reply.vanished);
    reply.leaving = change.pool().inventory().subset(leaving).nodelist();
    log_act(change, "config-load", {{"config", source.document()}});
  });
  instances.carry_out();
  return reply;
}

CheckReply check_config(const document::ConfigSource& source,
                        const std::optional<document::ResourceSet>& nodes, const Session& session) {
  CheckReply reply;
  refuse_programs_of_others(session.store, source.document());
  query(session, [&](const store::Reader& reader) {
    reply.config = check_config(source, nodes, reader);
    refuse_instances(session.store, reply.config);
    std::vector<std::string> names;
    for (const document::QueueConfig& queue : reply.config.queues) names.push_back(queue.name);
    reply.vanished = vanished_queues(reader, names);
    reply.notes = accounting_notes(reader, reply.config.accounting);
  });
  return reply;
}

std::string loaded_config(const Session& session) {
  std::string text;
  query(session, [&](const store::Reader& reader) { text = records::read_config_document(reader); });
  return text;
}

}  // namespace fq::manager
