#include "store/salvage.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <set>

#include <fcntl.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "store/damage.h"
#include "store/database.h"
#include "store/file_system.h"
#include "store/read_only_database.h"
#include "store/rocksdb_options.h"
#include "store/store_lock.h"

namespace fq::store {
namespace {

constexpr std::array<std::string_view, kFamilyCount> kFamilyNames{"documents", "jobs", "indexes", "records"};

// A directory that is gone with it.
class Scratch {
 public:
  explicit Scratch(const std::string& parent) : path_(parent + "/fq-damaged-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr)
      throw system_error("cannot make a directory in " + quote(parent), errno);
  }
  ~Scratch() {
    try {
      remove_tree(path_);
    } catch (const Error&) {
      // It is in the way of nobody.
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Tables are read, never written.
void link_or_copy(const std::string& from, const std::string& to) {
  if (from.ends_with(".sst") &&
      (::link(from.c_str(), to.c_str()) == 0 || ::symlink(from.c_str(), to.c_str()) == 0))
    return;
  write_file(to, read_file(from));
}

// A copy of the database in `from`, of whatever can be read.
void copy_database(const std::string& from, const std::string& to) {
  make_directory(to);
  for (const std::string& name : names_in(from).value_or(std::vector<std::string>{})) {
    struct stat info {};
    const std::string path = fmt::format("{}/{}", from, name);
    if (name == "LOCK" || name == kAcknowledgedName || ::lstat(path.c_str(), &info) != 0 ||
        !S_ISREG(info.st_mode))
      continue;
    link_or_copy(path, fmt::format("{}/{}", to, name));
  }
}

// Adds a table for each family, in which one key that never was is deleted: the engine learns the families
// from tables, and passes over what logs have for others.
void add_empty_tables(const std::string& directory) {
  constexpr std::uint64_t kBeyondAll = 900'000'000;
  const Scratch scratch(directory);
  rocksdb::DBOptions options = database_options();
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status =
      rocksdb::DB::Open(options, scratch.path() + "/db", family_descriptors(), &families, &opened);
  if (!status.ok()) throw to_error(status, "nothing can be read");
  const std::unique_ptr<rocksdb::DB> database(opened);
  std::uint64_t number = kBeyondAll;
  for (rocksdb::ColumnFamilyHandle* family : families) {
    // Its key has the sequence number 0, which is in nobody's way.
    rocksdb::SstFileWriter table(rocksdb::EnvOptions{}, database->GetOptions(family), family);
    if (status.ok()) status = table.Open(fmt::format("{}/{:06}.sst", directory, ++number));
    if (status.ok()) status = table.Delete(rocksdb::Slice("\0", 1));
    if (status.ok()) status = table.Finish();
    database->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
  if (!status.ok()) throw to_error(status, "nothing can be read");
}

// Makes a manifest of the tables that are there, and tables of the logs.
void rebuild_manifest(const std::string& directory) {
  add_empty_tables(directory);
  for (const std::string& name : names_in(directory).value_or(std::vector<std::string>{})) {
    if (name == "CURRENT" || name.starts_with(kManifestPrefix))
      ::unlink(fmt::format("{}/{}", directory, name).c_str());
  }
  rocksdb::Status status;
  {
    const Opening opening(directory, Opening::For::salvage);
    status = rocksdb::RepairDB(directory, database_options(), family_descriptors());
  }
  if (!status.ok()) throw to_error(status, "nothing can be read");
  ::unlink(fmt::format("{}/{}", directory, Journal::kName).c_str());
  // A family of which no table was there is made. This is no Opening: its manifest is written at once.
  rocksdb::DBOptions options = database_options();
  options.create_missing_column_families = true;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::DB* opened = nullptr;
  status = rocksdb::DB::Open(options, directory, family_descriptors(), &families, &opened);
  if (!status.ok()) throw to_error(status, "nothing can be read");
  const std::unique_ptr<rocksdb::DB> database(opened);
  for (rocksdb::ColumnFamilyHandle* family : families) database->DestroyColumnFamilyHandle(family);
}

// Keys behind what a table that cannot be read stands in the way of: behind its last key, and behind whatever
// shorter one its index has for that.
std::set<std::string> ways_past(const std::set<std::string>& bounds) {
  std::set<std::string> keys;
  for (std::string bound : bounds) {
    keys.insert(bound + '\0');
    for (; !bound.empty(); bound.pop_back()) {
      if (static_cast<unsigned char>(bound.back()) == 0xff) continue;
      std::string next = bound;
      ++next.back();
      keys.insert(std::move(next));
    }
  }
  return keys;
}

// Calls `visit` for each key that can be read. Returns whether these are all. A scan meets all tables and
// logs at once, and ends where one of them cannot be read: it goes on behind each place at which a table ends
// or begins, for the others have keys there, too.
bool visit_readable(const ReadOnlyDatabase& database, Family family,
                    const std::function<void(std::string_view key, std::string_view value)>& visit) {
  const auto at = database.iterator(family);
  std::string last;
  const auto run_to_fault = [&] {
    for (; at->Valid(); at->Next()) {
      last = at->key().ToString();
      visit(last, to_view(at->value()));
    }
    return !at->status().ok();
  };
  at->SeekToFirst();
  if (!run_to_fault()) return true;
  for (const std::string& key : ways_past(database.table_bounds(family))) {
    if (key <= last) continue;
    at->Seek(key);
    if (!run_to_fault()) break;
  }
  // From the end back to what is not readable, or was seen.
  const auto back = database.iterator(family);
  for (back->SeekToLast(); back->Valid() && to_view(back->key()) > last; back->Prev())
    visit(to_view(back->key()), to_view(back->value()));
  return false;
}

// Whether nothing of a family can be read: then a table is gone that all scans need.
bool has_unreadable_family(const ReadOnlyDatabase& database) {
  for (int i = 0; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    const auto first = database.iterator(family);
    first->SeekToFirst();
    if (first->Valid() || first->status().ok()) continue;
    bool any = false;
    if (!visit_readable(database, family, [&](std::string_view, std::string_view) { any = true; }) && !any)
      return true;
  }
  return false;
}

// The copy in `directory`, made readable.
std::unique_ptr<ReadOnlyDatabase> open_copy(const std::string& store_directory, const std::string& directory,
                                            std::vector<std::string>& lost) {
  const std::string original = database_path(store_directory);
  copy_database(original, directory);
  try {
    static_cast<void>(check_manifest(directory, read_acknowledged(original)));
    auto database = std::make_unique<ReadOnlyDatabase>(directory, Opening::For::salvage);
    if (!has_unreadable_family(*database)) return database;
  } catch (const Error&) {
    // So what the manifest says is not asked.
  }
  rebuild_manifest(directory);
  lost.emplace_back("the list of tables was made anew from the tables that are there");
  return std::make_unique<ReadOnlyDatabase>(directory, Opening::For::salvage);
}

// Copies what can be read of `from` into a new database.
void copy_readable(const ReadOnlyDatabase& from, const std::string& to, std::vector<std::string>& lost) {
  Database database = Database::open(to, /*create=*/true);
  Transaction transaction = database.begin();
  for (int i = 0; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    const bool all = visit_readable(from, family, [&](std::string_view key, std::string_view value) {
      if (family == Family::instance && key == kTransactionKey) return;
      transaction.put(family, key, value);
      if (transaction.bytes() >= kChunkBytes) transaction.commit();
    });
    if (!all)
      lost.push_back(fmt::format("some {} could not be read", kFamilyNames.at(static_cast<std::size_t>(i))));
  }
  transaction.commit_to_tables();
  database.close();
}

std::string free_name(const std::string& path) {
  if (!exists(path)) return path;
  int number = 2;
  while (exists(fmt::format("{}.{}", path, number))) ++number;
  return fmt::format("{}.{}", path, number);
}

}  // namespace

std::vector<std::string> read_damaged(const std::string& store_directory,
                                      const std::function<void(const Reader&)>& query) {
  const char* temporary = std::getenv("TMPDIR");
  const Scratch scratch(temporary != nullptr && *temporary == '/' ? temporary : "/tmp");
  std::vector<std::string> lost;
  const auto copy = open_copy(store_directory, scratch.path() + "/db", lost);
  Scratch whole(scratch.path());
  copy_readable(*copy, whole.path() + "/db", lost);
  query(ReadOnlyDatabase(whole.path() + "/db"));
  return lost;
}

std::vector<std::string> repair_database(const std::string& store_directory) {
  const std::string directory = database_path(store_directory);
  std::vector<std::string> done;
  for (const Damage& damage : find_damage(store_directory))
    done.push_back(fmt::format("{}: {}", damage.file, damage.what));
  if (done.empty()) return done;
  const Scratch scratch(store_directory);
  const std::string mended = scratch.path() + "/mended";
  {
    const auto copy = open_copy(store_directory, scratch.path() + "/db", done);
    copy_readable(*copy, mended, done);
  }
  const std::string aside = free_name(store_directory + "/damaged");
  // The names change places at once: there is always a database.
  if (::renameat2(AT_FDCWD, mended.c_str(), AT_FDCWD, directory.c_str(), RENAME_EXCHANGE) != 0)
    throw system_error("cannot replace " + quote(directory), errno);
  if (::rename(mended.c_str(), aside.c_str()) != 0)
    throw system_error("cannot rename to " + quote(aside), errno);
  sync_directory(store_directory);
  done.push_back(fmt::format("the damaged database is kept in {}", quote(aside)));
  return done;
}

}  // namespace fq::store
