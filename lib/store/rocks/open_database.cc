#include "store/rocks/open_database.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "store/rocks/damage.h"
#include "store/rocks/file_system.h"
#include "store/rocks/read_only_database.h"
#include "store/rocks/rocksdb_options.h"
#include "store/transaction.h"

namespace fq::store::rocks {
namespace {

// A log may be that of a process killed before it synced it: what is committed on top of it must not outlive
// it. What is in the journal is synced with it by the next commit, which goes to the same file: it is synced
// here only where that commit may go to another one.
void sync_logs(const std::string& directory) {
  if (!exists(directory)) return;
  std::vector<std::string> names = log_files(directory);
  const bool files = !names.empty();
  struct stat journal {};
  if (::stat(fmt::format("{}/{}", directory, Journal::kName).c_str(), &journal) == 0 &&
      S_ISREG(journal.st_mode) &&
      (files || static_cast<std::uint64_t>(journal.st_size) > Journal::kMostBytes)) {
    names.emplace_back(Journal::kName);
  }
  for (const std::string& name : names) {
    const std::string path = fmt::format("{}/{}", directory, name);
    if (::fdatasync(open_file(path, O_RDONLY).get()) != 0) {
      const Error failure = system_error("cannot sync " + quote(path), errno);
      note_failed_sync(directory);
      throw failure;
    }
  }
  if (files) sync_directory(directory);
}

// A thread needs its stack's addresses, too.
std::string_view limit_on_threads() {
  rlimit memory{};
  const bool limited = ::getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY;
  return limited ? "memory (ulimit -v) or processes (ulimit -u)" : "processes (ulimit -u)";
}

// Before the engine opens it for writing: then it takes files away that a damaged manifest does not name, and
// goes on where a damaged log ends.
void check_before_writing(Opening& opening, const std::string& directory) {
  if (!exists(directory + "/CURRENT")) return;  // it is to be made
  const auto known = read_acknowledged(directory);
  const ManifestExtent manifest = check_manifest(directory, known);
  if (!known) {
    if (!journal_goes_on(directory)) return;
    throw journal_error(directory);
  }
  if (manifest == known->manifest) set_synced_manifest(directory, manifest);
  if (logs_as_expected(directory, *known)) return;
  check_transaction(directory, known, transaction_number(ReadOnlyDatabase(directory)));
  opening.reload();
}

}  // namespace

std::unique_ptr<rocksdb::DB> open_database(const rocksdb::DBOptions& options, const std::string& directory,
                                           std::vector<rocksdb::ColumnFamilyHandle*>& families) {
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status;
  sync_logs(directory);
  Opening opening(directory, Opening::For::writing);
  check_before_writing(opening, directory);
  try {
    status = rocksdb::DB::Open(options, directory, family_descriptors(), &families, &opened);
  } catch (const std::system_error&) {
    // It starts all its threads now, none later.
    throw error(Kind::exhausted, "cannot start a thread: the limit on {} is used up", limit_on_threads());
  }
  if (!status.ok()) throw_error(status, "cannot open the store");
  std::unique_ptr<rocksdb::DB> database(opened);
  return database;
}

}  // namespace fq::store::rocks
