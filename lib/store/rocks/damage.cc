#include "store/rocks/damage.h"

#include <algorithm>

#include <rocksdb/sst_file_reader.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "store/rocks/file_system.h"
#include "store/rocks/journal.h"
#include "store/rocks/read_only_database.h"
#include "store/rocks/rocksdb_options.h"
#include "store/store_lock.h"
#include "store/transaction.h"

namespace fq::store::rocks {
namespace {

DamageError damaged(const std::string& directory, std::string_view name, std::string what) {
  return DamageError(directory, {{fmt::format("db/{}", name), std::move(what)}});
}

// `MANIFEST-000012\n`, whole.
std::optional<std::uint64_t> manifest_number(std::string_view current) {
  if (!current.starts_with(kManifestPrefix) || !current.ends_with('\n')) return std::nullopt;
  current.remove_prefix(kManifestPrefix.size());
  current.remove_suffix(1);
  const auto number = parse_u64(current);
  return number && *number > 0 && current == fmt::format("{:06}", *number) ? number : std::nullopt;
}

std::string in_words(const std::vector<Damage>& damages) {
  std::vector<std::string> parts;
  parts.reserve(damages.size());
  for (const Damage& damage : damages) parts.push_back(fmt::format("{}: {}", damage.file, damage.what));
  return join(parts, "; ");
}

// A log that is a file of its own and has something in it.
std::optional<std::string> log_in_use(const std::string& directory) {
  for (const std::string& name : log_files(directory)) {
    struct stat log {};
    if (::stat(fmt::format("{}/{}", directory, name).c_str(), &log) == 0 && log.st_size > 0) return name;
  }
  return std::nullopt;
}

}  // namespace

DamageError::DamageError(const std::string& directory, std::vector<Damage> damages)
    : Error(Kind::unavailable,
            fmt::format("the store {} is damaged: {}", quote(directory.substr(0, directory.rfind('/'))),
                        in_words(damages)),
            "fq fsck --repair mends it; until then --damaged shows what can be read"),
      damages_(std::move(damages)) {}

bool database_exists(const std::string& directory) {
  const auto names = names_in(directory);
  return names && std::any_of(names->begin(), names->end(), [](const std::string& name) {
           return name == "CURRENT" || name == Journal::kName || name.starts_with(kManifestPrefix) ||
                  name.ends_with(".sst");
         });
}

void refuse_without_current(const std::string& directory) {
  if (database_exists(directory)) throw damaged(directory, "CURRENT", "it is missing");
  throw error(Kind::not_found, "there is no database in {}", quote(directory));
}

ManifestExtent check_manifest(const std::string& directory, const std::optional<Acknowledged>& known) {
  const ManifestExtent before = known ? known->manifest : ManifestExtent{};
  const auto current = read_file_if_exists(directory + "/CURRENT");
  if (!current) refuse_without_current(directory);
  const auto number = manifest_number(*current);
  if (!number) throw damaged(directory, "CURRENT", "it names no manifest");
  const std::string name{trim(*current)};
  const auto bytes = read_file_if_exists(fmt::format("{}/{}", directory, name));
  if (*number < before.number || !bytes) {
    const std::string expected = fmt::format("{}{:06}", kManifestPrefix, before.number);
    if (before.number == 0 || *number == before.number) throw damaged(directory, name, "it is missing");
    throw damaged(directory, "CURRENT", fmt::format("it names {} in place of {}", name, expected));
  }
  const ManifestExtent found{*number, bytes->size(), crc_of(0, *bytes)};
  if (*number != before.number || found == before) return found;
  if (found.bytes < before.bytes) {
    throw damaged(directory, name,
                  fmt::format("it was cut: {} of {} bytes are there", found.bytes, before.bytes));
  }
  if (crc_of(0, std::string_view(*bytes).substr(0, before.bytes)) != before.crc)
    throw damaged(directory, name, "it is not what was written");
  return found;
}

DamageError journal_error(const std::string& directory) {
  return damaged(directory, Journal::kName, "a frame in it is not what was written");
}

bool logs_as_expected(const std::string& directory, const Acknowledged& known) {
  const JournalExtent journal = journal_extent(directory);
  return (known.journal.epoch == 0 ||
          (journal.epoch == known.journal.epoch && journal.frames >= known.journal.frames)) &&
         !log_in_use(directory);
}

void check_transaction(const std::string& directory, const std::optional<Acknowledged>& known,
                       std::uint64_t number) {
  if (!known || number >= known->transaction) return;
  if (!exists(fmt::format("{}/{}", directory, Journal::kName)))
    throw damaged(directory, Journal::kName, "it is missing");
  const std::uint64_t lost = known->transaction - number;
  // Logs that are files of their own come after it.
  const auto log = log_in_use(directory);
  const JournalExtent journal = journal_extent(directory);
  const bool whole = journal.epoch == known->journal.epoch && journal.frames >= known->journal.frames;
  throw damaged(directory, log && whole ? *log : Journal::kName,
                fmt::format("{} acknowledged {} {} missing", lost, lost == 1 ? "change" : "changes",
                            lost == 1 ? "is" : "are"));
}

namespace {

// What is wrong with a table, if anything.
std::optional<std::string> check_table(const std::string& path) {
  if (!exists(path)) return "it is missing";
  rocksdb::Options options(database_options(), family_descriptors().front().options);
  rocksdb::SstFileReader table(options);
  rocksdb::Status status = table.Open(path);
  if (status.ok()) status = table.VerifyChecksum(rocksdb::ReadOptions{});
  if (status.ok()) return std::nullopt;
  return status.IsCorruption() ? "it is not what was written" : status.ToString();
}

}  // namespace

std::vector<Damage> find_damage(const std::string& store_directory) {
  const std::string directory = database_path(store_directory);
  std::vector<Damage> found;
  const auto told = [&](const std::string& file) {
    return std::any_of(found.begin(), found.end(), [&](const Damage& d) { return d.file == file; });
  };
  const auto look = [&](const auto& check) {
    try {
      check();
    } catch (const DamageError& damage) {
      for (const Damage& each : damage.damages()) {
        if (!told(each.file)) found.push_back(each);
      }
    } catch (const Error&) {
      if (found.empty()) throw;  // else it is a consequence of what was found
    }
  };
  const auto known = read_acknowledged(directory);
  std::vector<std::string> tables;
  look([&] { static_cast<void>(check_manifest(directory, known)); });
  look([&] {
    const ReadOnlyDatabase database(directory);
    tables = database.tables();
    if (!known && journal_goes_on(directory)) throw journal_error(directory);
    check_transaction(directory, known, transaction_number(database));
  });
  if (tables.empty()) {
    tables = names_in(directory).value_or(std::vector<std::string>{});
    std::erase_if(tables, [](const std::string& name) { return !name.ends_with(".sst"); });
  }
  std::sort(tables.begin(), tables.end());
  for (const std::string& name : tables) {
    auto what = check_table(fmt::format("{}/{}", directory, name));
    const std::string file = "db/" + name;
    if (what && !told(file)) found.push_back({file, *std::move(what)});
  }
  return found;
}

}  // namespace fq::store::rocks
