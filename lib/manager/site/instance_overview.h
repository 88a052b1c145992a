// An instance at a glance: how long it is there, whose, how large and how busy it is, and whether it works.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "manager/engine/session.h"
#include "request/site.h"

namespace fq::manager {

using request::InstanceOverview;

/// Of the whole, or of the jobs and nodes of one queue. Throws Error{not_found}.
[[nodiscard]] InstanceOverview instance_overview(const Session& session,
                                                 const std::optional<std::string>& queue = {});

}  // namespace fq::manager
