// The figures of a store as text for Prometheus (exposition format 0.0.4), and as JSON.

#pragma once

#include <string>

#include "manager/site/site_report.h"

namespace fq::cli {

/// For the directory of a node exporter's textfile collector.
[[nodiscard]] std::string report_metrics(const manager::SiteReport& report);

/// All of a report as one JSON object.
[[nodiscard]] std::string report_json(const manager::SiteReport& report);

}  // namespace fq::cli
