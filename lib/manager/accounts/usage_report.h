// What was used, for reports: hours of each resource by user, bank, queue and whatever else is told apart,
// undecayed, jobs that run included.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/engine/session.h"
#include "priority/usage.h"
#include "request/usage_report.h"
#include "store/reader.h"

namespace fq::manager {

using request::ReportBy;
using request::ReportByName;
using request::ReportRequest;
using request::ReportRow;

/// Rows in the order of their keys, and the sum of all last, its key empty. Days and months are those of the
/// time zone; sizes are cores, `16-31`. Throws Error{not_found} for a user or a bank that there is not.
[[nodiscard]] std::vector<ReportRow> usage_report(const store::Reader& reader, const Session& session,
                                                  const ReportRequest& request);
[[nodiscard]] std::vector<ReportRow> usage_report(const Session& session, const ReportRequest& request);

}  // namespace fq::manager
