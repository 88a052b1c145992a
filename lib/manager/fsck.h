// The whole-store check: replays every event log through job::apply and compares what it finds with
// everything that is stored as derived from it.

#pragma once

#include <string>
#include <vector>

#include "store/reader.h"

namespace fq::manager {

/// One line for each thing that does not fit; empty for a sound store. Needs memory in proportion to the
/// jobs.
[[nodiscard]] std::vector<std::string> check_whole_store(const store::Reader& reader);

}  // namespace fq::manager
