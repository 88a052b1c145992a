// The messages of RFC 27 as lines of JSON: {"topic": TOPIC, "payload": {…}}, or {"topic": TOPIC, "errnum": N}
// where a request failed. Both directions are here: fq speaks one, `fq sched` both.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "document/resource/resource_set.h"
#include "notation/idset.h"
#include "sched/scheduler.h"

namespace fq::sched {

namespace topic {
inline constexpr std::string_view kAcquire = "resource.acquire";
inline constexpr std::string_view kHello = "job-manager.sched-hello";
inline constexpr std::string_view kReady = "job-manager.sched-ready";
inline constexpr std::string_view kAlloc = "sched.alloc";
inline constexpr std::string_view kCancel = "sched.cancel";
inline constexpr std::string_view kPrioritize = "sched.prioritize";
inline constexpr std::string_view kExpiration = "sched.expiration";
inline constexpr std::string_view kFree = "sched.free";
}  // namespace topic

/// The error numbers that the protocol gives a meaning: the end of a stream, and what is not implemented.
inline constexpr int kEndOfStream = 61;
inline constexpr int kNotImplemented = 38;

struct Message {
  std::string topic;
  nlohmann::json payload = nlohmann::json::object();
  int errnum = 0;
  std::string errstr;  ///< of an error: why, or empty
};

/// Reads a line. Throws Error{invalid} for what is not a message.
[[nodiscard]] Message parse_message(std::string_view line);
/// The line of a message, without line feed.
[[nodiscard]] std::string encode_message(std::string_view topic, const nlohmann::json& payload);
[[nodiscard]] std::string encode_failure(std::string_view topic, int errnum, std::string_view errstr = {});

// Payloads. Each read_ function throws Error{invalid} naming the member that is wrong.

/// Hosts stand in its nodelist one by one, by ascending rank, so that nobody need expand it.
[[nodiscard]] nlohmann::json acquire_payload(const document::ResourceSet& inventory,
                                             const notation::Idset& up);
[[nodiscard]] nlohmann::json hello_payload(const HelloJob& job);
[[nodiscard]] HelloJob read_hello(const nlohmann::json& payload);
[[nodiscard]] nlohmann::json ready_payload(const Ready& ready);
[[nodiscard]] Ready read_ready(const nlohmann::json& payload);
/// `jobspec` is the text of a jobspec (RFC 14): without its environment, and with the request's duration and
/// constraint, it is what the scheduler is told.
[[nodiscard]] nlohmann::json alloc_payload(const AllocRequest& request, std::string_view jobspec);
[[nodiscard]] AllocRequest read_alloc(const nlohmann::json& payload);
[[nodiscard]] nlohmann::json reply_payload(const AllocReply& reply);
[[nodiscard]] AllocReply read_reply(const nlohmann::json& payload);
[[nodiscard]] nlohmann::json id_payload(notation::JobId id);
[[nodiscard]] notation::JobId read_id(const nlohmann::json& payload);
[[nodiscard]] nlohmann::json prioritize_payload(
    std::span<const std::pair<notation::JobId, std::uint32_t>> jobs);
/// `expiration` is a whole number of seconds there.
[[nodiscard]] nlohmann::json expiration_payload(notation::JobId id, double expiration);

}  // namespace fq::sched
