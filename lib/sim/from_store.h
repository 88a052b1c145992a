// The jobs that a store has seen, as a workload, and what they had: nodes, configuration, accounts.

#pragma once

#include <nlohmann/json.hpp>

#include "document/resource/resource_set.h"
#include "manager/engine/session.h"
#include "request/accounts.h"
#include "sim/trace.h"

namespace fq::sim {

struct StoredSetup {
  document::ResourceSet nodes;
  nlohmann::json config;  ///< as it was loaded
  request::AccountTables accounts;
};

/// Those that ran and have ended, the others are counted, by why. They are numbered in the order of
/// their submission; dependencies that were over are not known any more.
[[nodiscard]] Trace stored_jobs(const manager::Session& session, StoredSetup& setup);

}  // namespace fq::sim
