// Making a store, and finding the one that a command means.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "document/config/config.h"
#include "document/config/config_source.h"
#include "document/resource/resource_set.h"
#include "manager/engine/session.h"
#include "meeting/enclosure.h"
#include "records/instance.h"
#include "store/transaction.h"

namespace fq::manager {

struct InitRequest {
  std::string store;  ///< where; the directory and its parents are made
  document::ResourceSet inventory;
  const document::ConfigSource* config = nullptr;  ///< null: none; outlives the request
  std::string baseline;                            ///< process::Baseline as JSON text
  /// Inside which job it is; none: an instance of its own right.
  std::optional<meeting::Enclosure> enclosure = std::nullopt;
  bool force = false;  ///< replace a store that has no active jobs
};

/// Creates the store. Throws Error{refused} where there is one already, or anything else, Error{unavailable}
/// on a network file system, Error{io}, Error{invalid} for a configuration that does not fit the inventory. A
/// creation that was cut off is begun again.
void initialize(const InitRequest& request, const Credential& caller, const Clock& clock);

/// Writes what a new store begins with at `now`. `info` has all but the epoch, which it may have; `config`
/// was checked against the inventory, none: nothing is configured.
void write_first_state(store::Transaction& transaction, records::StoreInfo info,
                       const document::ResourceSet& inventory, const std::optional<document::Config>& config,
                       double now);

/// Where a command's store is.
struct StoreLocation {
  std::string path;        ///< absolute
  bool explicit_ = false;  ///< named by --store or FQ_STORE: it must be there
};
/// `option` is --store or $FQ_STORE, in this order; without them /var/lib/fq where it exists, else
/// $XDG_STATE_HOME/fq/<hostname>. Throws Error{not_found} where the environment names no home.
[[nodiscard]] StoreLocation locate_store(const std::optional<std::string>& option);

}  // namespace fq::manager
