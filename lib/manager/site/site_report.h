// A store at a glance, for pages and for monitoring: what there is, who uses it, how long jobs wait and how
// they end.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "manager/accounts/overview.h"
#include "manager/engine/session.h"
#include "manager/site/queue_admin.h"
#include "request/site.h"
#include "store/reader.h"

namespace fq::manager {

using request::SiteReport;

/// Of the last `days` days. Costs what jobs ended in them and are not purged.
[[nodiscard]] SiteReport site_report(const Session& session, int days);

/// The same without days and waits: costs nothing for jobs.
[[nodiscard]] SiteReport site_figures(const Session& session);

}  // namespace fq::manager
