// The administrative records of a store: what it is, its inventory, its queues' states, the sequence of ids.
// They are truth (each change is also an event in instance.eventlog); the pool is derived from running jobs'
// R.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/config/queue_state.h"
#include "document/event/eventlog.h"
#include "notation/fluid.h"
#include "store/transaction.h"

namespace fq::records {

/// The version of what this fq reads and writes. 2: `n` entries of the index, and whether a job was given its
/// name in its record. 3: the database's logs in one file (store/rocks/journal.h), which older programs do
/// not see. 4: which of a job's exceptions is in its record. 5: `e` entries of the index. 6: when a job
/// became eligible in its record. 7: accounts, and counters of the active jobs of banks. 8: what
/// limited ones have in use. 9: how much is stored of each user's jobs.
inline constexpr std::uint64_t kFormatVersion = 9;

/// Generators of job ids (RFC 19) are numbers up to this, above so many bits.
inline constexpr std::uint32_t kMaxGenerator = (1U << 14U) - 1;
inline constexpr unsigned kSequenceBits = 10;

/// What a store is, fixed when it is made.
struct StoreInfo {
  std::uint64_t epoch_ms = 0;  ///< job ids count milliseconds from here (RFC 19)
  std::uint32_t owner = 0;     ///< the user it belongs to
  std::string machine_id;      ///< of the machine it was made on; empty: unknown
  std::string hostname;
  std::string baseline;                   ///< process::Baseline as JSON
  std::uint64_t format = kFormatVersion;  ///< an older one must be migrated first
  std::uint32_t generator = 0;  ///< of job ids (RFC 19): of an instance its number in its store, else 0
};

/// Throws Error{unavailable} when the store was made by a newer fq or is not a store.
[[nodiscard]] StoreInfo read_store_info(const store::Reader& reader);
void write_store_info(store::Transaction& transaction, const StoreInfo& info);
/// Marks the store as one of this format that is not whole yet: older programs refuse it, and it still counts
/// as of its old format here, or as one whose records are of an older one.
void begin_migration(store::Transaction& transaction);
void finish_migration(store::Transaction& transaction);

/// The inventory (RFC 20) as JSON text.
[[nodiscard]] std::string read_inventory(const store::Reader& reader);

/// The anonymous queue has the empty name.
[[nodiscard]] document::QueueState read_queue_state(const store::Reader& reader, std::string_view queue);
void write_queue_state(store::Transaction& transaction, std::string_view queue,
                       const document::QueueState& state);

/// Job ids and the store's time: both only ever grow, whatever the clock does.
struct Sequence {
  notation::JobId last_id;
  double last_time = 0;
  std::uint64_t jobs = 0;  ///< the number of the last job; 0: they are not numbered
};
[[nodiscard]] Sequence read_sequence(const store::Reader& reader);
void write_sequence(store::Transaction& transaction, const Sequence& sequence);
/// The id that follows at `now` (RFC 19: milliseconds since the store's epoch, then a sequence number).
[[nodiscard]] notation::JobId next_id(const Sequence& sequence, const StoreInfo& info, double now);
/// The generator of the store that gave it.
[[nodiscard]] std::uint32_t generator_of(notation::JobId id);

/// Whether what is stored may hold jobs that could start: the last scheduling pass was not its last act.
[[nodiscard]] bool pass_is_due(const store::Reader& reader);
void write_pass_due(store::Transaction& transaction, bool due);

/// Counters by status letters (`S`, `R`, `CD`, …), summed over users and queues that are asked for.
struct CountFilter {
  std::optional<std::uint32_t> userid;
  std::optional<std::string> queue;
};
[[nodiscard]] std::map<std::string, std::uint64_t> read_counts(const store::Reader& reader,
                                                               const CountFilter& filter);

/// The same of every queue, by its name; every user's.
[[nodiscard]] std::map<std::string, std::map<std::string, std::uint64_t>> read_counts_by_queue(
    const store::Reader& reader);

/// Whether the note of how long instance.eventlog is, by which it need not be read to be added to, is missing
/// or says that it is `log`.
[[nodiscard]] bool log_is_noted(const store::Reader& reader, std::string_view log);
/// Replaces the whole of it.
void write_instance_log(store::Transaction& transaction, std::string_view log);
/// Adds events to instance.eventlog, of which the oldest are dropped where it becomes longer than configured
/// (document/config/config_log.h). Many at once: each addition in one transaction passes those before it.
void log_instance_events(store::Transaction& transaction, std::span<const document::Event> events);
void log_instance_event(store::Transaction& transaction, const document::Event& event);

}  // namespace fq::records
