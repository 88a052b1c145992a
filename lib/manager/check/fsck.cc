#include "manager/check/fsck.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/check/check_derived.h"
#include "manager/engine/store_check.h"
#include "process/signals/signal_block.h"
#include "records/instance.h"
#include "store/rocks/damage.h"
#include "store/rocks/snapshot.h"
#include "store/store_lock.h"

namespace fq::manager {
namespace {

Expected check_contents(const store::Reader& reader, const Report& report, const Signatures* signatures) {
  Expected expected = check_jobs(reader, report, signatures);
  check_derived(reader, expected, report);
  check_administration(reader, expected, report);
  return expected;
}

std::string name_of(const DataFile& data) {
  return fmt::format("job {}: the file of its guest.{}", data.id, data.file.name);
}

}  // namespace

std::vector<std::string> check_whole_store(const store::Reader& reader) {
  std::vector<std::string> lines;
  static_cast<void>(check_contents(
      reader, [&](std::string line) { lines.push_back(std::move(line)); }, nullptr));
  return lines;
}

FsckReply fsck(const Session& session, const Report& report) {
  FsckReply reply;
  const Report count = [&](std::string finding) {
    ++reply.findings;
    report(std::move(finding));
  };
  const meeting::JobFiles files = session.files();
  std::vector<DataFile> unread;
  {
    // Who holds the lock may be ended, and not stopped: nobody else could go on.
    const process::SignalBlock holding(process::UserSignals::that_stop);
    const auto lock = store::StoreLock::acquire(session.store, session.lock_timeout_s, session.command,
                                                session.notices.waiting);
    for (const store::rocks::Damage& damage : store::rocks::find_damage(session.store))
      count(fmt::format("{}: {}", damage.file, damage.what));
    // What is read of a damaged database would be told as if it were all.
    if (reply.findings > 0) return reply;
    store::rocks::read_locked(session.store, [&](const store::Reader& reader) {
      require_own_store(session.store, reader);
      const std::uint64_t format = records::read_store_info(reader).format;
      if (format < records::kFormatVersion) {
        throw Error{
            Kind::unavailable,
            fmt::format("the store has format {}: an older fq made it, or a repair was cut off", format),
            "any other command brings it forward, `fq jobs` too"};
      }
      Expected expected = check_contents(reader, count, session.signatures);
      reply.jobs = expected.jobs;
      for (DataFile& data : expected.data) {
        if (const auto fault = fault_of_size(files, data.id, data.file)) {
          count(fmt::format("{} {}", name_of(data), *fault));
        } else {
          unread.push_back(std::move(data));
        }
      }
    });
  }
  for (const DataFile& data : unread) {
    const auto fault = fault_of_file(files, data.id, data.file);
    // One that went meanwhile was purged.
    if (fault && exists(data_path(files, data.id, data.file.name)))
      count(fmt::format("{} {}", name_of(data), *fault));
  }
  return reply;
}

}  // namespace fq::manager
