// What is administered is told by an event in the store's own log (schema/kvs.md), with who asked it.

#pragma once

#include <span>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "document/event/eventlog.h"
#include "manager/core/change.h"

namespace fq::manager {

/// The event of now, with the caller as `userid` beside `context`, an object.
[[nodiscard]] document::Event administrative_event(const Change& change, std::string_view name,
                                                   nlohmann::json context);
/// Adds it to the log.
void log_act(Change& change, std::string_view name, nlohmann::json context);
/// The same of what an operator does to jobs, with those that are another user's as `jobs`, the first hundred
/// of them; nothing where none is. To be called inside with_names, before anything was changed or after
/// settle_access.
void log_act_on_others(Change& change, std::string_view name, std::span<const JobId> jobs,
                       nlohmann::json context);

}  // namespace fq::manager
