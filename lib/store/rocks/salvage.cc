#include "store/rocks/salvage.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <set>

#include <fcntl.h>
#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/try_to.h"
#include "base/unique_fd.h"
#include "store/rocks/damage.h"
#include "store/rocks/database.h"
#include "store/rocks/file_system.h"
#include "store/rocks/read_only_database.h"
#include "store/rocks/rocksdb_options.h"
#include "store/store_lock.h"

namespace fq::store::rocks {
namespace {

constexpr std::array<std::string_view, kFamilyCount> kFamilyNames{"documents", "jobs", "indexes", "records"};

constexpr std::string_view kScratchPrefix = "fq-damaged-";

// A directory that is gone with it. Its maker holds its lock: one that is not locked was left by a process
// that was killed, and the next maker removes it.
class Scratch {
 public:
  explicit Scratch(const std::string& parent) {
    remove_left_over(parent);
    do {
      path_ = fmt::format("{}/{}XXXXXX", parent, kScratchPrefix);
      if (::mkdtemp(path_.data()) == nullptr)
        throw system_error("cannot make a directory in " + quote(parent), errno);
    } while (!lock());
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
  static UniqueFd open(const std::string& path) {
    return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }

  // False where another process took it for one that was left, before it was locked.
  bool lock() {
    held_ = open(path_);
    if (!held_.valid() || ::flock(held_.get(), LOCK_EX | LOCK_NB) != 0) return false;
    struct stat info {};
    return ::fstat(held_.get(), &info) == 0 && info.st_nlink > 0;
  }

  static void remove_left_over(const std::string& parent) {
    for (const std::string& name : names_in(parent).value_or(std::vector<std::string>{})) {
      if (!name.starts_with(kScratchPrefix)) continue;
      const std::string path = fmt::format("{}/{}", parent, name);
      const UniqueFd left = open(path);
      struct stat info {};
      if (!left.valid() || ::fstat(left.get(), &info) != 0 || info.st_uid != ::geteuid() ||
          ::flock(left.get(), LOCK_EX | LOCK_NB) != 0)
        continue;
      try_to([&] { remove_tree(path); });
    }
  }

  std::string path_;
  UniqueFd held_;
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

// What was copied, and what is not in it.
struct Copy {
  std::unique_ptr<ReadOnlyDatabase> database;
  std::vector<std::string> lost;  ///< a line each
  bool records_lost = false;      ///< some of Family::instance may be
};

// The copy in `directory`, made readable.
Copy open_copy(const std::string& store_directory, const std::string& directory) {
  const std::string original = database_path(store_directory);
  Copy copy;
  copy_database(original, directory);
  try {
    static_cast<void>(check_manifest(directory, read_acknowledged(original)));
    copy.database = std::make_unique<ReadOnlyDatabase>(directory, Opening::For::salvage);
    if (!has_unreadable_family(*copy.database)) return copy;
  } catch (const Error&) {
    // So what the manifest says is not asked.
  }
  copy.database.reset();
  rebuild_manifest(directory);
  copy.lost.emplace_back("the list of tables was made anew from the tables that are there");
  copy.records_lost = true;
  copy.database = std::make_unique<ReadOnlyDatabase>(directory, Opening::For::salvage);
  return copy;
}

// Copies what can be read of it into a new database.
Database copy_readable(Copy& from, const std::string& to) {
  Database database = Database::open(to, /*create=*/true);
  Transaction transaction = database.begin();
  for (int i = 0; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    const bool all =
        visit_readable(*from.database, family, [&](std::string_view key, std::string_view value) {
          if (family == Family::instance && key == kTransactionKey) return;
          transaction.put(family, key, value);
          if (transaction.bytes() >= kChunkBytes) transaction.commit();
        });
    if (all) continue;
    from.lost.push_back(
        fmt::format("some {} could not be read", kFamilyNames.at(static_cast<std::size_t>(i))));
    if (family == Family::instance) from.records_lost = true;
  }
  transaction.commit();
  return database;
}

std::string free_name(const std::string& path) {
  if (!exists(path)) return path;
  int number = 2;
  while (exists(fmt::format("{}.{}", path, number))) ++number;
  return fmt::format("{}.{}", path, number);
}

// Two names change places at once: there is always a database. The mended one has the name of the old one
// then, and the old one that under which it is kept.
void exchange(const std::string& mended, const std::string& directory, const std::string& aside) {
  if (::rename(mended.c_str(), aside.c_str()) != 0)
    throw system_error("cannot rename to " + quote(aside), errno);
  if (::renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, directory.c_str(), RENAME_EXCHANGE) == 0)
    return sync_directory(directory.substr(0, directory.rfind('/')));
  const Error failure = system_error("cannot replace " + quote(directory), errno);
  try_to([&] { remove_tree(aside); });
  throw failure;
}

}  // namespace

void read_damaged(const std::string& store_directory, const DamagedQuery& query) {
  const char* temporary = std::getenv("TMPDIR");
  const Scratch scratch(temporary != nullptr && *temporary == '/' ? temporary : "/tmp");
  Copy copy = open_copy(store_directory, scratch.path() + "/db");
  const std::string whole = scratch.path() + "/whole";
  copy_readable(copy, whole).close();
  query(ReadOnlyDatabase(whole), copy.lost);
}

Mended repair_database(
    const std::string& store_directory,
    const std::function<void(Transaction& mended, const std::string& directory)>& prepare) {
  const std::string directory = database_path(store_directory);
  const std::vector<Damage> damages = find_damage(store_directory);
  if (damages.empty()) return {};
  const Scratch scratch(store_directory);
  const std::string mended = scratch.path() + "/mended";
  Copy copy = open_copy(store_directory, scratch.path() + "/db");
  {
    Database database = copy_readable(copy, mended);
    Transaction transaction = database.begin();
    prepare(transaction, mended);
    transaction.commit_to_tables();
    database.close();
  }
  // What a table has of which family is known where it can be opened; what a log had, never.
  const bool records_lost =
      copy.records_lost ||
      std::any_of(damages.begin(), damages.end(), [](const auto& d) { return !d.file.ends_with(".sst"); });
  const std::string aside = free_name(store_directory + "/damaged");
  exchange(mended, directory, aside);
  copy.lost.push_back(fmt::format("the damaged database is kept in {}", quote(aside)));
  return {true, std::move(copy.lost), records_lost};
}

}  // namespace fq::store::rocks
