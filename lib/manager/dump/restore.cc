#include <exception>
#include <limits>
#include <optional>

#include <fcntl.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "base/try_to.h"
#include "manager/core/log_act.h"
#include "manager/dump/dump.h"
#include "manager/dump/dump_stream.h"
#include "manager/engine/migrate.h"
#include "manager/engine/store_check.h"
#include "manager/run/guest_data.h"
#include "manager/site/create_store.h"
#include "meeting/standing.h"
#include "process/machine/topology.h"
#include "records/instance.h"
#include "records/instances.h"
#include "records/keys.h"

namespace fq::manager {

namespace {

namespace key = records::key;
using notation::JobId;
using store::Family;

constexpr std::string_view kNoneIsReplaced =
    "no store is replaced: name another place, or move that one away";
// No database lies there: what is restored is a copy until it is adopted.
constexpr std::string_view kNowhere = "0 0";

class Restoring {
 public:
  Restoring(const RestoreRequest& request, const Credential& caller, store::rocks::Transaction& transaction)
      : in_(request.fd, request.name), files_(request.store), caller_(caller), transaction_(transaction) {}

  DumpCounts run() {
    take_header(in_.next());
    for (;;) {
      const DumpReader::Block block = in_.next();
      if (block.kind == DumpBlock::end) {
        take_end(block.bytes);
        break;
      }
      take(block);
    }
    in_.require_end();
    make_own();
    return counts_;
  }

 private:
  void take_header(const DumpReader::Block& block) {
    if (block.kind != DumpBlock::header) throw in_.damaged("it has no header");
    const nlohmann::json document = parse_json(block.bytes, "header");
    const std::int64_t format = JsonAt(document, "header").at("format").as_integer();
    if (std::cmp_greater(format, records::kFormatVersion)) {
      throw error(
          Kind::invalid,
          "the store that was dumped has format {}, made by a newer fq; this fq reads formats up to {}",
          format, records::kFormatVersion);
    }
  }

  void take(const DumpReader::Block& block) {
    switch (block.kind) {
      case DumpBlock::entries:
        end_file();
        return take_entries(block.bytes);
      case DumpBlock::file:
        end_file();
        return begin_file(block.bytes);
      case DumpBlock::bytes:
        if (!file_) throw in_.damaged("bytes of no file");
        file_->checksum.add(block.bytes);
        file_->size += block.bytes.size();
        return write_all(file_->fd.get(), block.bytes, file_->path);
      case DumpBlock::header:
      case DumpBlock::end:
        break;
    }
    throw in_.damaged("a block of another kind was expected");
  }

  void take_entries(std::string_view entries) {
    while (const auto entry = in_.take_entry(entries)) {
      transaction_.put(entry->family, entry->key, entry->value);
      ++counts_.entries;
      if (transaction_.bytes() > store::kChunkBytes) transaction_.commit();
    }
  }

  void begin_file(const std::string& text) {
    const nlohmann::json document = parse_json(text, "file");
    const JsonAt at{document, "file"};
    File file;
    const JobId id{
        static_cast<std::uint64_t>(at.at("id").as_integer(1, std::numeric_limits<std::int64_t>::max()))};
    file.recorded.name = at.at("name").as_string();
    file.recorded.size =
        static_cast<std::uint64_t>(at.at("size").as_integer(0, std::numeric_limits<std::int64_t>::max()));
    file.recorded.blake2b = at.at("blake2b").as_string();
    if (file.recorded.name.empty() ||
        file.recorded.name.find_first_of(std::string_view{"/\0", 2}) != std::string::npos)
      throw in_.damaged("a file of no name");
    make_directory(files_.data(id));
    file.path = data_path(files_, id, file.recorded.name);
    file.fd = open_file(file.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    file_ = std::move(file);
    ++counts_.files;
  }

  void end_file() {
    if (!file_) return;
    if (file_->size != file_->recorded.size || file_->checksum.hex() != file_->recorded.blake2b)
      throw in_.damaged("a file before it is not what was recorded");
    sync_file(file_->path);
    file_.reset();
  }

  void take_end(const std::string& text) {
    end_file();
    const nlohmann::json document = parse_json(text, "end");
    const JsonAt at{document, "end"};
    if (std::cmp_not_equal(at.at("entries").as_integer(), counts_.entries) ||
        std::cmp_not_equal(at.at("files").as_integer(), counts_.files))
      throw in_.damaged("it has not as much as its end says");
  }

  // The store is this machine's and the caller's from now on, and of the present format.
  void make_own() {
    records::StoreInfo info = records::read_store_info(transaction_);
    info.owner = caller_.uid;
    info.machine_id = machine_id();
    info.hostname = process::host_name();
    records::write_store_info(transaction_, info);
    transaction_.put(Family::instance, key::kPlace, kNowhere);
    make_derived_anew(transaction_, [](std::uint64_t, std::uint64_t) {});
    // What instances it has is made by who looks; their own jobs are in dumps of theirs.
    if (!records::read_instances(transaction_).list.empty())
      make_directory(meeting::instances_directory(files_.store()));
  }

  struct File {
    KeptFile recorded;
    std::string path;
    UniqueFd fd;
    Checksum checksum;
    std::uint64_t size = 0;
  };

  DumpReader in_;
  meeting::JobFiles files_;
  const Credential& caller_;
  store::rocks::Transaction& transaction_;
  std::optional<File> file_;
  DumpCounts counts_;
};

// What was begun of a store whose dump turned out to be damaged.
void remove_begun(const std::string& store, bool was_there) {
  if (!was_there) return remove_tree(store);
  remove_tree(meeting::JobFiles(store).data_dir());
  remove_tree(unfinished_database(store));
}

}  // namespace

DumpCounts restore(const RestoreRequest& request, const Credential& caller) {
  const bool was_there = exists(request.store);
  DumpCounts counts;
  bool begun = false;
  try {
    create_store({request.store, "fq-restore", false, kNoneIsReplaced},
                 [&](store::rocks::Transaction& transaction) {
                   begun = true;
                   counts = Restoring(request, caller, transaction).run();
                 });
  } catch (...) {
    if (begun) try_to([&] { remove_begun(request.store, was_there); });
    throw;
  }
  return counts;
}

void note_restore(const Session& session) {
  transact(session, [](Change& change) { log_act(change, "restore", nlohmann::json::object()); });
}

}  // namespace fq::manager
