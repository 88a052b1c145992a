#include "records/instance.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/config/config_log.h"
#include "records/keys.h"

namespace fq::records {

using nlohmann::json;
using store::Family;

namespace {

// The value of `format`:
//
//   format      version [" from " version]     both decimal; with the second it is being migrated
constexpr std::string_view kFrom = " from ";

std::optional<std::uint64_t> parse_format(std::string_view text) {
  if (const std::size_t at = text.find(kFrom); at != std::string_view::npos) {
    const auto to = parse_u64(text.substr(0, at));
    return to && *to > kFormatVersion ? to : parse_u64(text.substr(at + kFrom.size()));
  }
  return parse_u64(text);
}

}  // namespace

StoreInfo read_store_info(const store::Reader& reader) {
  const auto format = reader.get(Family::instance, key::kFormat);
  const auto text = reader.get(Family::instance, key::kStoreInfo);
  const std::optional<std::uint64_t> version = format ? parse_format(*format) : std::nullopt;
  if (!version || !text)
    throw error(Kind::unavailable, "the store is incomplete: its creation did not finish");
  if (*version > kFormatVersion) {
    throw error(Kind::unavailable,
                "the store has format {}, made by a newer fq; this fq reads formats up to {}", *version,
                kFormatVersion);
  }
  const json document = parse_json(*text, "store record");
  const JsonAt at{document, "store record"};
  StoreInfo info;
  info.format = *version;
  info.epoch_ms = static_cast<std::uint64_t>(at.at("epoch_ms").as_integer());
  info.owner = static_cast<std::uint32_t>(at.at("owner").as_integer());
  info.machine_id = at.at("machine_id").as_string();
  info.hostname = at.at("hostname").as_string();
  if (const json& baseline = at.at("baseline").value(); !baseline.empty())
    info.baseline = dump_json(baseline);
  if (const auto generator = at.find("generator"))
    info.generator = static_cast<std::uint32_t>(generator->as_integer(0, kMaxGenerator));
  return info;
}

void write_store_info(store::Transaction& transaction, const StoreInfo& info) {
  json document{{"epoch_ms", info.epoch_ms},
                {"owner", info.owner},
                {"machine_id", info.machine_id},
                {"hostname", info.hostname},
                {"baseline", parse_json(info.baseline.empty() ? "{}" : info.baseline, "baseline")}};
  if (info.generator != 0) document["generator"] = info.generator;
  transaction.put(Family::instance, key::kFormat, fmt::format("{}", kFormatVersion));
  transaction.put(Family::instance, key::kStoreInfo, dump_json(document));
}

void begin_migration(store::Transaction& transaction) {
  const std::uint64_t from = std::min(read_store_info(transaction).format, kFormatVersion - 1);
  transaction.put(Family::instance, key::kFormat, fmt::format("{}{}{}", kFormatVersion, kFrom, from));
  transaction.commit();
}

void finish_migration(store::Transaction& transaction) {
  transaction.put(Family::instance, key::kFormat, fmt::format("{}", kFormatVersion));
}

std::string read_inventory(const store::Reader& reader) {
  auto text = reader.get(Family::instance, key::kInventory);
  if (!text) throw error(Kind::unavailable, "the store has no resource inventory");
  return *std::move(text);
}

document::QueueState read_queue_state(const store::Reader& reader, std::string_view queue) {
  document::QueueState state;
  const auto text = reader.get(Family::instance, key::queue(queue));
  if (!text) return state;
  const json document = parse_json(*text, "queue record");
  const JsonAt at{document, "queue record"};
  state.enabled = at.at("enabled").as_boolean();
  state.started = at.at("started").as_boolean();
  state.disable_reason = at.at("disable_reason").as_string();
  state.stop_reason = at.at("stop_reason").as_string();
  if (const auto suspended = at.find("suspended")) state.suspended = suspended->as_string();
  return state;
}

void write_queue_state(store::Transaction& transaction, std::string_view queue,
                       const document::QueueState& state) {
  json document{{"enabled", state.enabled},
                {"started", state.started},
                {"disable_reason", state.disable_reason},
                {"stop_reason", state.stop_reason}};
  if (!state.suspended.empty()) document["suspended"] = state.suspended;
  transaction.put(Family::instance, key::queue(queue), dump_json(document));
}

Sequence read_sequence(const store::Reader& reader) {
  // "ID MICROSECONDS[ JOBS]", decimal; older programs wrote no third number, nor is there one of 0.
  Sequence sequence;
  const std::string text = reader.get(Family::instance, key::kSequence).value_or("0 0");
  const auto parts = split(text, ' ');
  if (parts.size() < 2 || parts.size() > 3 || !parse_u64(parts[0]) || !parse_u64(parts[1]) ||
      !parse_u64(parts.back())) {
    throw error(Kind::unavailable, "the sequence record is damaged");
  }
  if (parts.size() == 3) sequence.jobs = *parse_u64(parts[2]);
  sequence.last_id.value = *parse_u64(parts[0]);
  sequence.last_time = static_cast<double>(*parse_u64(parts[1])) / 1e6;
  return sequence;
}

void write_sequence(store::Transaction& transaction, const Sequence& sequence) {
  std::string text = fmt::format("{} {}", sequence.last_id.value, to_microseconds(sequence.last_time));
  if (sequence.jobs > 0) text += fmt::format(" {}", sequence.jobs);
  transaction.put(Family::instance, key::kSequence, text);
}

bool pass_is_due(const store::Reader& reader) {
  return reader.get(Family::instance, key::kPassDue).has_value();
}

void write_pass_due(store::Transaction& transaction, bool due) {
  if (pass_is_due(transaction) == due) return;
  if (due) {
    transaction.put(Family::instance, key::kPassDue, "");
  } else {
    transaction.erase(Family::instance, key::kPassDue);
  }
}

notation::JobId next_id(const Sequence& sequence, const StoreInfo& info, double now) {
  // RFC 19: 40 bits of milliseconds, 14 of generator, 10 of sequence number.
  constexpr std::uint64_t kGeneratorAndSequenceBits = 24;
  constexpr std::uint64_t kSequenceMask = (1U << kSequenceBits) - 1;
  const std::uint64_t generator = std::uint64_t{info.generator} << kSequenceBits;
  const std::uint64_t now_ms = to_microseconds(now) / 1000;
  const std::uint64_t since_epoch = now_ms > info.epoch_ms ? now_ms - info.epoch_ms : 0;
  const std::uint64_t fresh = since_epoch << kGeneratorAndSequenceBits | generator;
  const std::uint64_t last = sequence.last_id.value;
  if (fresh > last) return notation::JobId{fresh};
  if ((last & kSequenceMask) < kSequenceMask) return notation::JobId{last + 1};
  return notation::JobId{((last >> kGeneratorAndSequenceBits) + 1) << kGeneratorAndSequenceBits | generator};
}

std::uint32_t generator_of(notation::JobId id) {
  return static_cast<std::uint32_t>(id.value >> kSequenceBits) & kMaxGenerator;
}

namespace {

// What a counter counts: its key is the prefix, be32(uid), status, a zero byte and the queue.
struct Counter {
  std::string_view status, queue;
};

Counter counter_of(std::string_view key) {
  const std::string_view rest = key.substr(key::kCountPrefix.size() + 4);
  const std::size_t end = rest.find('\0');
  return {rest.substr(0, end), rest.substr(end + 1)};
}

}  // namespace

std::map<std::string, std::uint64_t> read_counts(const store::Reader& reader, const CountFilter& filter) {
  std::map<std::string, std::uint64_t> counts;
  std::string prefix{key::kCountPrefix};
  if (filter.userid) {
    prefix = key::count(*filter.userid, "", "");
    prefix.pop_back();  // the separator before the queue
  }
  for (const auto at = reader.scan_prefix(Family::instance, prefix); at->valid(); at->next()) {
    const Counter counter = counter_of(at->key());
    if (filter.queue && counter.queue != *filter.queue) continue;
    counts[std::string{counter.status}] += parse_u64(at->value()).value_or(0);
  }
  return counts;
}

std::map<std::string, std::map<std::string, std::uint64_t>> read_counts_by_queue(
    const store::Reader& reader) {
  std::map<std::string, std::map<std::string, std::uint64_t>> counts;
  for (const auto at = reader.scan_prefix(Family::instance, key::kCountPrefix); at->valid(); at->next()) {
    const Counter counter = counter_of(at->key());
    counts[std::string{counter.queue}][std::string{counter.status}] += parse_u64(at->value()).value_or(0);
  }
  return counts;
}

namespace {

constexpr std::string_view kRotate = "log-rotate";

std::uint64_t most_log_bytes(const store::Reader& reader) {
  const auto text = reader.get(Family::instance, key::kLogConfig);
  return document::decode_log(text.value_or("")).max_bytes.value_or(document::LogConfig::kDefaultMaxBytes);
}

// The later half of a log that has become too long, behind an event that says how many others there were, and
// has the time of the last of them.
std::string rotated(std::string_view log, std::uint64_t most) {
  std::uint64_t dropped = 0;
  document::Event event;
  event.name = kRotate;
  while (log.size() > most / 2) {
    const std::size_t end = log.find('\n') + 1;
    if (end == 0 || end == log.size()) break;
    const document::Event first = document::decode_event(log.substr(0, end));
    dropped += first.name == kRotate ? first.context.value("dropped", std::uint64_t{0}) : 1;
    event.timestamp = first.timestamp;
    log.remove_prefix(end);
  }
  if (dropped == 0) return std::string{log};
  event.context = {{"dropped", dropped}};
  return document::encode_event(event).append(log);
}

}  // namespace

bool log_is_noted(const store::Reader& reader, std::string_view log) {
  const auto noted = reader.get(Family::instance, key::kLogBytes);
  return !noted || *noted == std::to_string(log.size());
}

void write_instance_log(store::Transaction& transaction, std::string_view log) {
  transaction.put(Family::kvs, key::kInstanceEventlog, log);
  transaction.put(Family::instance, key::kLogBytes, std::to_string(log.size()));
}

void log_instance_events(store::Transaction& transaction, std::span<const document::Event> events) {
  std::string lines;
  for (const document::Event& event : events) document::append_event(lines, event);
  if (lines.empty()) return;
  const std::uint64_t most = most_log_bytes(transaction);
  const auto noted = parse_u64(transaction.get(Family::instance, key::kLogBytes).value_or(""));
  std::string log;
  if (!noted || *noted + lines.size() > most) {
    log = transaction.get(Family::kvs, key::kInstanceEventlog).value_or("");
    if (log.size() + lines.size() > most) {
      // What is damaged is left to who checks the store.
      try {
        return write_instance_log(transaction, rotated(log + lines, most));
      } catch (const Error&) {
      }
    }
  }
  const std::uint64_t before = log.empty() ? noted.value_or(0) : log.size();
  transaction.append(Family::kvs, key::kInstanceEventlog, lines);
  transaction.put(Family::instance, key::kLogBytes, std::to_string(before + lines.size()));
}

void log_instance_event(store::Transaction& transaction, const document::Event& event) {
  log_instance_events(transaction, {&event, 1});
}

}  // namespace fq::records
