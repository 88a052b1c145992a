// Making the directory of a store, whatever is in it.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "document/config/config.h"
#include "document/resource/resource_set.h"
#include "meeting/enclosure.h"
#include "records/instance.h"
#include "store/rocks/database.h"

namespace fq::manager {

struct NewStore {
  std::string store;           ///< where; the directory and its parents are made
  std::string_view command;    ///< what the lock file says of the holder
  bool force = false;          ///< replace a store that has no active jobs
  std::string_view hint = {};  ///< what to do where there is one; empty: `--force replaces it …`
  std::optional<meeting::Enclosure> enclosure = std::nullopt;
  bool has_instances = false;  ///< queues of it are instances of their own
};

/// Throws Error where no store can be made: what is there is no directory, or has something else in it, or
/// lies on a network file system.
void require_room(const std::string& store);

/// Makes it with what `fill` puts into the transaction, which it may commit in portions. Throws
/// Error{refused} where there is one already, or anything else, Error{unavailable} on a network file system,
/// Error{io}, and what `fill` throws. A creation that was cut off is begun again.
void create_store(const NewStore& wanted, const std::function<void(store::rocks::Transaction&)>& fill);

/// Makes it with what a new store begins with (initialize.h: write_first_state). Throws as that.
void create_store_of(const NewStore& wanted, const records::StoreInfo& info,
                     const document::ResourceSet& inventory, const std::optional<document::Config>& config,
                     const Clock& clock);

/// Where the database is while `fill` runs.
[[nodiscard]] std::string unfinished_database(const std::string& store);

}  // namespace fq::manager
