// The figures of a store as text for Prometheus (exposition format 0.0.4), as CSV, and as JSON.

#pragma once

#include <string>

#include "request/site.h"

namespace fq::cli {

/// For the directory of a node exporter's textfile collector.
[[nodiscard]] std::string report_metrics(const request::SiteReport& report);

/// The same and core-hours of each day: `figure,queue,state,cores,bank,user,userid,date,value`, where a
/// figure is not of one of these it is empty.
[[nodiscard]] std::string report_csv(const request::SiteReport& report);

/// All of a report as one JSON object.
[[nodiscard]] std::string report_json(const request::SiteReport& report);

}  // namespace fq::cli
