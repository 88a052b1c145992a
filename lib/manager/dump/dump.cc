#include "manager/dump/dump.h"

#include <exception>
#include <filesystem>
#include <optional>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "base/json.h"
#include "base/text.h"
#include "base/try_to.h"
#include "manager/core/permission.h"
#include "manager/dump/dump_stream.h"
#include "manager/look/document_reader.h"
#include "manager/run/guest_data.h"
#include "notation/fluid.h"
#include "process/signals/signal_block.h"
#include "records/instance.h"
#include "records/keys.h"
#include "records/store_time.h"
#include "store/rocks/snapshot.h"
#include "store/store_lock.h"
#include "store/transaction.h"

namespace fq::manager {

namespace {

namespace fs = std::filesystem;
namespace key = records::key;
using notation::JobId;
using store::Family;

// Tables never change once they are there; all other files of a database are written on.
void link_or_copy(const fs::path& from, const fs::path& to) {
  if (from.extension() == ".sst" && ::link(from.c_str(), to.c_str()) == 0) return;
  std::error_code failure;
  fs::copy_file(from, to, failure);
  if (failure) throw system_error("cannot copy " + quote(from.string()), failure.value());
}

void link_files(const std::string& from, const std::string& to) {
  make_directory(to);
  for (const std::string& name : names_in(from).value_or(std::vector<std::string>{})) {
    const std::string path = from + "/" + name;
    if (!fs::is_directory(fs::symlink_status(path))) link_or_copy(path, to + "/" + name);
  }
}

// Files of ended jobs are not changed either, and go with the job alone.
void link_data(const std::string& from, const std::string& to) {
  make_directory(to);
  for (const std::string& job : names_in(from).value_or(std::vector<std::string>{})) {
    make_directory(to + "/" + job);
    for (const std::string& name : names_in(from + "/" + job).value_or(std::vector<std::string>{})) {
      const std::string path = from + "/" + job + "/" + name, link = to + "/" + job + "/" + name;
      if (::link(path.c_str(), link.c_str()) != 0) fs::copy_file(path, link);
    }
  }
}

void clear_snapshot(const std::string& directory) {
  remove_tree(store::database_path(directory));
  remove_tree(meeting::JobFiles(directory).data_dir());
}

// The store's files as they are at one moment, in a directory of their own, which looks like a store.
class LinkedFiles {
 public:
  explicit LinkedFiles(const Session& session) : directory_(session.store + "/snapshot") {
    make_directory(directory_);
    held_ = FileLock::try_acquire(directory_ + "/dumping", LockMode::exclusive);
    if (!held_) throw error(Kind::refused, "the store {} is being dumped already", quote(session.store));
    clear_snapshot(directory_);  // what one left that was killed
    const meeting::JobFiles files = session.files();
    const process::SignalBlock holding(process::UserSignals::all);
    const auto lock =
        FileLock::acquire(store::lock_path(session.store), LockMode::shared, session.lock_timeout_s);
    if (!lock) {
      throw error(Kind::timeout, "the store {} stayed locked for {} s by {}", quote(session.store),
                  session.lock_timeout_s, store::lock_holder(session.store));
    }
    link_files(store::database_path(session.store), store::database_path(directory_));
    link_data(files.data_dir(), meeting::JobFiles(directory_).data_dir());
  }
  ~LinkedFiles() {
    try_to([this] { clear_snapshot(directory_); });
  }
  LinkedFiles(const LinkedFiles&) = delete;
  LinkedFiles& operator=(const LinkedFiles&) = delete;

  [[nodiscard]] const std::string& store() const { return directory_; }

 private:
  std::string directory_;
  std::optional<FileLock> held_;
};

// What is made anew from the rest, or holds for one place alone.
bool is_left_out(std::string_view name) {
  for (const std::string_view prefix :
       {key::kClassPrefix, key::kCountPrefix, key::kActivePrefix, key::kBytesPrefix, key::kPoolPrefix}) {
    if (name.starts_with(prefix)) return true;
  }
  return name == key::kPlace || name == key::kClock || name == store::kTransactionKey;
}

class Dumping {
 public:
  Dumping(const store::Reader& reader, const meeting::JobFiles& files, DumpWriter& out)
      : reader_(reader), files_(files), out_(out) {}

  DumpCounts run() {
    const records::StoreInfo info = records::read_store_info(reader_);
    out_.header(dump_json({{"format", info.format},
                           {"hostname", info.hostname},
                           {"time", records::read_sequence(reader_).last_time}}));
    for (const Family family : {Family::instance, Family::kvs}) add_family(family);
    out_.end();
    return counts_;
  }

 private:
  void add_family(Family family) {
    for (const auto at = reader_.scan(family, "", ""); at->valid(); at->next()) {
      if (family == Family::instance && is_left_out(at->key())) continue;
      out_.entry(family, at->key(), at->value());
      ++counts_.entries;
      if (family == Family::kvs && at->key().ends_with(kKeptFiles)) add_files(at->key(), at->value());
    }
  }

  void add_files(std::string_view name, std::string_view record) {
    const JobId id = notation::parse_job_id(name.substr(0, name.size() - kKeptFiles.size()));
    for (KeptFile& file : decode_kept_files(record)) {
      if (file.lost) continue;
      out_.file(
          dump_json({{"id", id.value}, {"name", file.name}, {"size", file.size}, {"blake2b", file.blake2b}}));
      DocumentReader document(files_, id, std::move(file));
      for (std::string_view piece; !(piece = document.read()).empty();) out_.bytes(piece);
      ++counts_.files;
    }
  }

  static constexpr std::string_view kKeptFiles = ".data.fq.files";

  const store::Reader& reader_;
  const meeting::JobFiles& files_;
  DumpWriter& out_;
  DumpCounts counts_;
};

}  // namespace

void clear_killed_dump(const std::string& store) {
  const std::string directory = store + "/snapshot";
  if (!exists(store::database_path(directory)) && !exists(meeting::JobFiles(directory).data_dir())) return;
  if (FileLock::try_acquire(directory + "/dumping", LockMode::exclusive)) clear_snapshot(directory);
}

DumpCounts dump(const Session& session, int fd, const std::string& name) {
  query(session, [&](const store::Reader& reader) {
    if (!is_owner(session.caller, records::read_store_info(reader).owner))
      throw Error{Kind::permission, "only the owner may dump the store"};
  });
  const LinkedFiles linked(session);
  const meeting::JobFiles files(linked.store());
  DumpCounts counts;
  std::exception_ptr failure;
  bool begun = false;
  store::rocks::read_snapshot(linked.store(), session.lock_timeout_s, [&](const store::Reader& reader) {
    // What is written cannot be taken back: it is not begun twice.
    if (std::exchange(begun, true)) return;
    try {
      DumpWriter out(fd, name);
      counts = Dumping(reader, files, out).run();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
  return counts;
}

}  // namespace fq::manager
