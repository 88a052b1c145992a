// The policy tables of a configuration (RFC 33 § Policy Configuration). For config.cc alone: everybody else
// sees a QueuePolicy.

#pragma once

#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/error.h"
#include "document/config/config.h"

namespace fq {
class JsonAt;
}

namespace fq::document {

/// Whose table a policy is: only the general one names the default queue, and a virtual queue is served by
/// the scheduler of its parent.
enum class PolicyOf : std::uint8_t { all_queues, queue, virtual_queue };

/// What a reader says of a table; empty where it takes it.
using TableFault = std::function<std::string(const nlohmann::json& table)>;
/// The value below `at` that by itself has the same fault; `at` where there is none.
[[nodiscard]] ConfigAt faulty_value(const ConfigAt& at, const TableFault& fault, const std::string& what);

/// Checks a table that only `read` understands: what that throws is said of `at`, at the line of its cause.
template <typename Read>
void check_opaque(const ConfigAt& at, const Read& read) {
  static_cast<void>(at.members());
  try {
    static_cast<void>(read(at.value()));
  } catch (const Error& failure) {
    const auto fault = [&](const nlohmann::json& table) -> std::string {
      try {
        static_cast<void>(read(table));
      } catch (const Error& again) {
        return again.what();
      }
      return {};
    };
    throw at.fail_at(faulty_value(at, fault, failure.what()), failure.what(), failure.hint());
  }
}

/// Checks keys and values of one policy table by themselves. Throws Error{invalid}.
void check_policy(const ConfigAt& at, PolicyOf of, const PolicyReaders& readers);

/// The policy that a table gives. REQUIRES that check_policy accepts every table that was merged into it.
[[nodiscard]] QueuePolicy compile_policy(const nlohmann::json& table);

/// Throws Error{invalid} at `at` where what holds for a queue contradicts itself: a least size beyond the
/// largest, a default duration that its limit forbids.
void check_agreement(const ConfigAt& at, const QueuePolicy& policy);

/// A compiled policy as JSON, and read again.
[[nodiscard]] nlohmann::json encode_policy(const QueuePolicy& policy);
[[nodiscard]] QueuePolicy decode_policy(const JsonAt& at);

}  // namespace fq::document
