// The figures of a store as text for Prometheus (exposition format 0.0.4), and as JSON.

#pragma once

#include <string>

#include "request/site.h"

namespace fq::cli {

/// For the directory of a node exporter's textfile collector.
[[nodiscard]] std::string report_metrics(const request::SiteReport& report);

/// All of a report as one JSON object.
[[nodiscard]] std::string report_json(const request::SiteReport& report);

}  // namespace fq::cli
