// A report as one HTML page that needs nothing else: no network, no script. Light and dark as the reader's
// system is; it fits narrow windows.

#pragma once

#include <string>

#include "request/site.h"

namespace fq::cli {

/// `title` stands on top: what the store is called.
[[nodiscard]] std::string report_page(const request::SiteReport& report, const std::string& title);

}  // namespace fq::cli
