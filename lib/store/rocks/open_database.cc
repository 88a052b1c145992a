#include "store/rocks/open_database.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
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

bool is_limited(__rlimit_resource_t resource) {
  rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

// Whether there is memory for one more thread's stack.
bool has_room_for_a_stack() {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return false;
  std::size_t size = 0;
  ::pthread_attr_getstacksize(&attributes, &size);
  ::pthread_attr_destroy(&attributes);
  void* stack = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return false;
  ::munmap(stack, size);
  return true;
}

// Which limit a thread could not be started for: it needs a stack, too.
std::string limit_on_threads() {
  const std::string processes = "processes (ulimit -u)";
  const bool addresses = is_limited(RLIMIT_AS), data = is_limited(RLIMIT_DATA);
  if (!addresses && !data) return processes;
  const std::string memory = fmt::format("memory (ulimit {})", addresses && data ? "-v or -d"
                                                               : addresses       ? "-v"
                                                                                 : "-d");
  // What there is now may have been given back since.
  return has_room_for_a_stack() ? memory + " or " + processes : memory;
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
