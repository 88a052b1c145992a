#include "manager/site/initialize.h"

#include <cstdlib>
#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/fault_point.h"
#include "base/file.h"
#include "base/text.h"
#include "document/resource/inventory_check.h"
#include "manager/core/inventory.h"
#include "manager/engine/reserve.h"
#include "manager/engine/store_check.h"
#include "manager/site/configure.h"
#include "manager/site/create_store.h"
#include "meeting/job_files.h"
#include "meeting/standing.h"
#include "process/machine/topology.h"
#include "process/user/state_directory.h"
#include "records/instance.h"
#include "records/instances.h"
#include "records/keys.h"
#include "records/priority_facts.h"
#include "store/rocks/database.h"
#include "store/store_lock.h"

namespace fq::manager {
namespace {

namespace fs = std::filesystem;
using store::Family;

constexpr double kLockPatience_s = 30;

void make_directories(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty() && !exists(parent.string())) make_directories(parent.string());
  make_directory(path);
}

// REQUIRES the store lock.
bool has_active_jobs(const std::string& store) {
  auto database = store::rocks::Database::open(store::database_path(store), /*create=*/false);
  const store::rocks::Transaction reader = database.begin();
  bool active = reader.scan_prefix(Family::index, "p")->valid();
  for (const job::State state :
       {job::State::fresh, job::State::depend, job::State::priority, job::State::run, job::State::cleanup}) {
    active = active || reader.scan_prefix(Family::index, records::key::state_prefix(state))->valid();
  }
  return active;
}

// What the creation of a store leaves behind when it is cut off: known names, and no job's files.
bool is_unfinished_creation(const std::string& store) {
  static const std::set<std::string, std::less<>> kFiles{"lock", "db.new", "reserve", "enclosure",
                                                         "standing"};
  static const std::set<std::string, std::less<>> kEmpty{"alive", "guest", "data",     "wake",
                                                         "inbox", "trash", "instances"};
  std::error_code failure;
  const fs::directory_iterator entries(store, failure);
  if (failure) throw system_error("cannot read the directory " + quote(store), failure.value());
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (kFiles.contains(name)) continue;
    if (name == "data" && exists(unfinished_database(store))) continue;  // a restore was cut off
    if (!kEmpty.contains(name) || !entry.is_directory() || !fs::is_empty(entry.path())) return false;
  }
  return true;
}

Error not_a_store(const std::string& directory) {
  return Error{Kind::refused, fmt::format("the directory {} is not empty and not a store", quote(directory)),
               "name one that is empty, or that does not exist yet"};
}

enum class Found { nothing, store, broken_store };

// REQUIRES the store lock.
Found look_at(const std::string& store) {
  if (!store_exists(store)) return Found::nothing;
  try {
    auto database = store::rocks::Database::open(store::database_path(store), /*create=*/false);
    const bool complete = database.begin().get(Family::instance, records::key::kFormat).has_value();
    return complete ? Found::store : Found::nothing;
  } catch (const Error&) {
    return Found::broken_store;
  }
}

// Whether instances in the store have.
bool have_active_jobs(const NewStore& wanted) {
  const std::string directory = meeting::instances_directory(wanted.store);
  for (const std::string& name : names_in(directory).value_or(std::vector<std::string>{})) {
    const std::string store = meeting::standing_store(wanted.store, name);
    if (!store_exists(store)) continue;
    const auto lock = store::StoreLock::acquire(store, kLockPatience_s, wanted.command);
    if (has_active_jobs(store)) return true;
  }
  return false;
}

void refuse_existing(const NewStore& wanted) {
  const std::string& store = wanted.store;
  const bool force = wanted.force;
  const auto hint = [&](std::string_view usual) {
    return std::string{wanted.hint.empty() ? usual : wanted.hint};
  };
  switch (look_at(store)) {
    case Found::nothing:
      if (is_unfinished_creation(store)) return;
      throw not_a_store(store);
    case Found::broken_store:
      if (force) return;
      throw Error{Kind::refused, fmt::format("the store in {} cannot be opened", quote(store)),
                  hint("--force replaces it; its jobs are lost then")};
    case Found::store:
      break;
  }
  if (!force) {
    throw Error{Kind::refused, fmt::format("there is a store in {} already", quote(store)),
                hint("--force replaces it if it has no active jobs")};
  }
  if (has_active_jobs(store) || have_active_jobs(wanted)) {
    throw Error{Kind::refused, fmt::format("the store {} has active jobs", quote(store)),
                "cancel them first: fq cancel --all"};
  }
}

}  // namespace

void write_first_state(store::Transaction& transaction, records::StoreInfo info,
                       const document::ResourceSet& inventory, const std::optional<document::Config>& config,
                       double now) {
  // Ids start at one millisecond: 0 is no job.
  if (info.epoch_ms == 0) info.epoch_ms = records::to_microseconds(now) / 1000 - 1;
  const bool numbers = config && records::needs_job_numbers(config->queues);
  records::write_sequence(transaction, {{}, now, numbers ? std::uint64_t{1} : 0});
  write_first_nodes(transaction, inventory, config);
  if (config) records::write_instances(transaction, config->instances);
  document::Event event;
  event.timestamp = now;
  event.name = "resource-define";
  event.context = {{"R", nlohmann::json::parse(records::read_inventory(transaction))}};
  records::log_instance_event(transaction, event);
  if (config) {
    event.name = "config-load";
    event.context = {{"config", config->document}, {"userid", info.owner}};
    records::log_instance_event(transaction, event);
  }
  records::write_store_info(transaction, info);
}

void require_room(const std::string& store) {
  if (exists(store) && !fs::is_directory(store)) {
    throw error(Kind::refused, "{} is not a directory", quote(store));
  }
  // Before anything is made in it.
  if (exists(store) && !store_exists(store) && !is_unfinished_creation(store)) throw not_a_store(store);
  refuse_network_file_system(store);
}

void create_store(const NewStore& wanted, const std::function<void(store::rocks::Transaction&)>& fill) {
  const std::string& store = wanted.store;
  require_room(store);
  make_directories(store);
  const auto lock = store::StoreLock::acquire(store, kLockPatience_s, wanted.command);
  refuse_existing(wanted);
  // The database gets its name when it is whole: a store that has one is complete.
  const std::string unfinished = unfinished_database(store);
  remove_tree(unfinished);
  const meeting::JobFiles files(store);
  for (const std::string& directory :
       {files.alive_dir(), files.guest_dir(), files.data_dir(), files.wake_dir(), files.inbox_dir(),
        files.trash_dir(), meeting::instances_directory(store)}) {
    remove_tree(directory);
  }
  files.create_directories();
  make_reserve(store);
  if (wanted.enclosure) meeting::write_enclosure(store, *wanted.enclosure);
  if (wanted.has_instances) make_directory(meeting::instances_directory(store));
  fault_point("directories-made");

  auto database = store::rocks::Database::open(unfinished, /*create=*/true);
  store::rocks::Transaction transaction = database.begin();
  fill(transaction);
  transaction.commit_to_tables();  // where programs find the format that know of no journal
  database.close();
  fault_point("database-made");
  remove_tree(store::database_path(store));
  make_directory(files.trash_dir());  // from here on what is deleted goes there
  rename_synced(unfinished, store::database_path(store));
}

std::string unfinished_database(const std::string& store) {
  return store::database_path(store) + ".new";
}

void initialize(const InitRequest& request, const Credential& caller, const Clock& clock) {
  document::check_inventory(request.inventory);
  std::optional<document::Config> config;
  if (request.config != nullptr) config = check_config(*request.config, request.inventory);
  if (config) refuse_instances(request.store, *config);
  records::StoreInfo info;
  info.owner = caller.uid;
  info.machine_id = machine_id();
  info.hostname = process::host_name();
  info.baseline = request.baseline;
  NewStore wanted{request.store, "fq-init", request.force, {}, request.enclosure};
  wanted.has_instances = config && !config->instances.empty();
  create_store_of(wanted, info, request.inventory, config, clock);
}

void create_store_of(const NewStore& wanted, const records::StoreInfo& info,
                     const document::ResourceSet& inventory, const std::optional<document::Config>& config,
                     const Clock& clock) {
  create_store(wanted, [&](store::rocks::Transaction& transaction) {
    write_first_state(transaction, info, inventory, config, clock.now());
    transaction.put(Family::instance, records::key::kPlace, place_of(unfinished_database(wanted.store)));
  });
}

StoreLocation locate_store(const std::optional<std::string>& option) {
  if (option) {
    if (option->empty())
      throw Error{Kind::usage, "the name of the store is empty", "--store DIR or FQ_STORE"};
    std::error_code failure;
    const fs::path absolute = fs::absolute(*option, failure);
    if (failure) {
      throw error(Kind::not_found, "cannot find the store {}: the current directory is gone", quote(*option));
    }
    return {absolute.lexically_normal().string(), true};
  }
  if (const std::string system{kSystemStore}; exists(system)) return {system, false};
  const auto directory = process::state_directory();
  if (!directory) {
    throw Error{Kind::not_found, "there is no place for a store: HOME is not set",
                "name one with --store DIR or FQ_STORE"};
  }
  return {fmt::format("{}/{}", *directory, process::host_name()), false};
}

}  // namespace fq::manager
