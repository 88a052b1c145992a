#include "records/keys.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <sodium.h>

#include "base/error.h"
#include "base/text.h"
#include "records/tallies.h"

namespace fq::records {

std::uint64_t to_microseconds(double seconds) {
  return seconds > 0 ? static_cast<std::uint64_t>(std::llround(seconds * 1e6)) : 0;
}

namespace key {
namespace {

void append_be64(std::string& out, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFFU);
}

void append_be32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFFU);
}

std::uint64_t read_be64(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes.substr(0, 8)) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

std::uint32_t read_be32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

std::string with_id(std::string prefix, JobId id) {
  append_be64(prefix, id.value);
  return prefix;
}

std::string in_job(JobId id, std::string_view name) {
  std::string key = job_directory(id);
  key += name;
  return key;
}

}  // namespace

std::string job_directory(JobId id) {
  return notation::to_kvs(id) + '.';
}
std::string jobspec(JobId id) {
  return in_job(id, "jobspec");
}

std::string signed_request(JobId id) {
  return in_job(id, "J");
}
std::string r(JobId id) {
  return in_job(id, "R");
}
std::string eventlog(JobId id) {
  return in_job(id, "eventlog");
}
std::string guest(JobId id, std::string_view name) {
  return in_job(id, "guest.").append(name);
}
std::string data(JobId id, std::string_view service) {
  return in_job(id, "data.").append(service);
}

std::string job(JobId id) {
  return with_id({}, id);
}
JobId job_of(std::string_view key) {
  return JobId{read_be64(key)};
}

std::string pending_prefix(const ClassId& id) {
  return std::string{'p'}.append(id.data(), id.size());
}

std::string pending(const ClassId& id, double t_submit, JobId job) {
  std::string key = pending_prefix(id);
  append_be64(key, to_microseconds(t_submit));
  return with_id(std::move(key), job);
}

std::string state_prefix(job::State state) {
  return {'s', static_cast<char>('0' + static_cast<int>(state))};
}

std::string state(job::State state, double time, JobId job) {
  std::string key = state_prefix(state);
  append_be64(key, to_microseconds(time));
  return with_id(std::move(key), job);
}

std::string user_prefix(std::uint32_t userid) {
  std::string key{'u'};
  append_be32(key, userid);
  return key;
}

std::string user(std::uint32_t userid, JobId job) {
  return with_id(user_prefix(userid), job);
}

std::string dependant_prefix(JobId id) {
  return with_id("d", id);
}
std::string dependant(JobId id, JobId dependant) {
  return with_id(dependant_prefix(id), dependant);
}

std::string timer(double time, JobId job) {
  std::string key{kTimerPrefix};
  append_be64(key, to_microseconds(time));
  return with_id(std::move(key), job);
}

std::string timer_end(double time) {
  std::string key{kTimerPrefix};
  append_be64(key, to_microseconds(time) + 1);
  return key;
}

std::string allocation_end(double time, JobId job) {
  std::string key{kAllocationEndPrefix};
  append_be64(key, to_microseconds(time));
  return with_id(std::move(key), job);
}

std::string named_prefix(std::uint32_t userid, std::string_view name, bool waits) {
  std::array<char, 16> hash{};
  ::crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                       reinterpret_cast<const unsigned char*>(name.data()), name.size(), nullptr, 0);
  std::string key{'n'};
  append_be32(key, userid);
  return key.append(hash.data(), hash.size()).append(1, waits ? '1' : '0');
}

std::string named(std::uint32_t userid, std::string_view name, bool waits, JobId job) {
  return with_id(named_prefix(userid, name, waits), job);
}

JobId indexed_job(std::string_view key) {
  return JobId{read_be64(key.substr(key.size() - 8))};
}
std::uint64_t indexed_time(std::string_view key) {
  return read_be64(key.substr(key.size() - 16));
}

std::string job_class(const ClassId& id) {
  return std::string{kClassPrefix}.append(id.data(), id.size());
}

std::string count(std::uint32_t userid, std::string_view status, std::string_view queue) {
  std::string key{kCountPrefix};
  append_be32(key, userid);
  return key.append(status).append(1, '\0').append(queue);
}

std::string stored_bytes(std::uint32_t userid) {
  std::string key{kBytesPrefix};
  append_be32(key, userid);
  return key;
}

std::uint32_t stored_bytes_user(std::string_view key) {
  std::uint32_t userid = 0;
  for (const char c : key.substr(std::min(key.size(), kBytesPrefix.size())))
    userid = userid << 8U | static_cast<unsigned char>(c);
  return userid;
}

std::string pool(std::uint32_t chunk) {
  std::string key{kPoolPrefix};
  append_be32(key, chunk);
  return key;
}

std::string drain(std::uint32_t rank) {
  std::string key{kDrainPrefix};
  append_be32(key, rank);
  return key;
}

std::uint32_t drained_rank(std::string_view key) {
  return read_be32(key.substr(kDrainPrefix.size()));
}

std::string reserve(std::uint64_t number) {
  std::string key{kReservePrefix};
  append_be64(key, number);
  return key;
}
std::string reservation(std::uint64_t place) {
  std::string key{kReservationPrefix};
  append_be64(key, place);
  return key;
}
std::uint64_t reservation_place(std::string_view key) {
  return read_be64(key.substr(kReservationPrefix.size()));
}

std::uint64_t reserved_number(std::string_view key) {
  return read_be64(key.substr(kReservePrefix.size()));
}

std::string queue(std::string_view name) {
  return std::string{kQueuePrefix}.append(name);
}

std::string queue_config(std::string_view name) {
  return std::string{kQueueConfigPrefix}.append(name);
}
std::string annotation(JobId id) {
  return with_id(std::string{kAnnotationPrefix}, id);
}
std::string memo(JobId id) {
  return with_id(std::string{kMemoPrefix}, id);
}
std::string purged(JobId id) {
  return with_id(std::string{kPurgedPrefix}, id);
}
std::string dependant_notice(JobId id) {
  return with_id(std::string{kNoticePrefix}, id);
}
std::string leftovers(JobId id) {
  return with_id(std::string{kLeftoversPrefix}, id);
}
std::string housekeeping(JobId id) {
  return with_id(std::string{kHousekeepingPrefix}, id);
}

std::string bank(std::string_view name) {
  return std::string{kBankPrefix}.append(name);
}

std::string associations(std::uint32_t userid) {
  std::string key{kAssociationPrefix};
  append_be32(key, userid);
  return key;
}
std::string association(std::uint32_t userid, std::string_view bank) {
  return associations(userid).append(bank);
}

std::uint32_t associated_user(std::string_view key) {
  return read_be32(key.substr(kAssociationPrefix.size()));
}

std::string user_name(std::string_view user) {
  return std::string{kUserNamePrefix}.append(user);
}

std::string project(std::string_view name) {
  return std::string{kProjectPrefix}.append(name);
}

std::string charge(JobId id) {
  return with_id(std::string{kChargePrefix}, id);
}

std::string tallies(std::uint32_t hour) {
  std::string key{kTallyPrefix};
  append_be32(key, hour);
  return key;
}

std::string tally(const TallyKey& of) {
  std::string key = tallies(of.hour);
  append_be32(key, of.userid);
  key += static_cast<char>(of.size);
  key += of.bank;
  for (const std::string* part : {&of.queue, &of.project, &of.qos}) (key += '\0') += *part;
  return key;
}

TallyKey tally_of(std::string_view key) {
  std::string_view rest = key.substr(kTallyPrefix.size());
  TallyKey of;
  constexpr std::size_t kFixed = 9;
  if (rest.size() > kFixed) {
    of.hour = read_be32(rest);
    of.userid = read_be32(rest.substr(4));
    of.size = static_cast<std::uint8_t>(rest[8]);
    rest.remove_prefix(kFixed);
    const auto parts = split(rest, '\0');
    if (parts.size() == 4) {
      of.bank = parts[0];
      of.queue = parts[1];
      of.project = parts[2];
      of.qos = parts[3];
      return of;
    }
  }
  throw error(Kind::unavailable, "the key of what was used in an hour is damaged");
}

std::string active_jobs(std::string_view bank) {
  return std::string{kActivePrefix}.append(bank).append(1, '\0');
}
std::string active_jobs(std::string_view bank, std::uint32_t userid) {
  std::string key = active_jobs(bank);
  append_be32(key, userid);
  return key;
}

std::string active_jobs(std::string_view bank, std::uint32_t userid, std::string_view qos,
                        std::string_view queue) {
  return active_jobs(bank, userid).append(qos).append(1, '\0').append(queue);
}
ActiveKind active_kind(std::string_view key) {
  constexpr std::size_t kUser = 4;
  const std::string_view rest = key.substr(std::min(key.size(), kActivePrefix.size()));
  const std::size_t bank_end = rest.find('\0');
  if (bank_end == std::string_view::npos || rest.size() < bank_end + 1 + kUser) return {};
  const std::string_view kind = rest.substr(bank_end + 1 + kUser);
  const std::size_t qos_end = kind.find('\0');
  if (qos_end == std::string_view::npos) return {};
  return {rest.substr(0, bank_end), kind.substr(0, qos_end), kind.substr(qos_end + 1)};
}

namespace {

std::string use_by(char of, std::string_view in, std::uint32_t userid, std::string_view bank) {
  std::string key = std::string{kUsePrefix}.append(1, of).append(in).append(1, '\0');
  append_be32(key, userid);
  return key.append(bank);
}

}  // namespace

std::string use_of_qos(std::string_view qos) {
  return std::string{kUsePrefix}.append(1, kUseOfQos).append(qos);
}
std::string use_in_qos(std::string_view qos, std::uint32_t userid, std::string_view bank) {
  return use_by(kUseInQos, qos, userid, bank);
}
std::string use_in_queue(std::string_view queue, std::uint32_t userid, std::string_view bank) {
  return use_by(kUseInQueue, queue, userid, bank);
}

std::string waitable_prefix(std::uint32_t userid, WaitPhase phase) {
  std::string key{kWaitablePrefix};
  append_be32(key, userid);
  return key += static_cast<char>(phase);
}

std::string waitable(std::uint32_t userid, WaitPhase phase, double time, JobId job) {
  std::string key = waitable_prefix(userid, phase);
  append_be64(key, to_microseconds(time));
  return with_id(std::move(key), job);
}

}  // namespace key
}  // namespace fq::records
