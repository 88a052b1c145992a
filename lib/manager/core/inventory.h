// The nodes of a store, and giving it others while jobs run.
//
//   resource.R         what the pool is made of: the nodes that are wanted, and what running jobs still hold
//                      of others
//   resource.wanted    the first part of it, while there is a second; else missing
//   resource.excluded  the nodes that the configuration keeps out of use; missing: none
//
// What only jobs hold goes when they release it, with the transaction in which they do.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "document/config/config.h"
#include "manager/core/change.h"

namespace fq::manager {

/// All nodes that belong to the store, those included that are kept out of use; not those that only jobs
/// hold.
[[nodiscard]] document::ResourceSet read_nodes(const store::Reader& reader);
/// The ranks of nodes that are in the inventory for the jobs alone that hold them: they get no new ones.
[[nodiscard]] notation::Idset leaving_ranks(const store::Reader& reader,
                                            const document::ResourceSet& inventory);
/// The nodes that the configuration keeps out of use.
[[nodiscard]] document::ResourceSet read_excluded(const store::Reader& reader);

/// When jobs may have the nodes (RFC 20), seconds since the epoch; 0 where unset.
struct Validity {
  double starttime = 0;
  double expiration = 0;
};
[[nodiscard]] Validity read_validity(const store::Reader& reader);
/// The entry of the index that wakes the store at a starttime which is yet to come. It names job 0, which is
/// none.
[[nodiscard]] std::optional<std::string> inventory_timer(const store::Reader& reader);

/// `wanted` with the rank that each host has in the store, and ranks above all of these for other hosts.
/// REQUIRES what document::check_inventory checks.
[[nodiscard]] document::ResourceSet with_known_ranks(const document::ResourceSet& wanted,
                                                     const store::Reader& reader);

/// The configuration compiled for some nodes.
using Compile = std::function<document::Config(const document::ResourceSet& nodes)>;

/// Writes a new store's nodes, and its configuration where there is one.
void write_first_nodes(store::Transaction& transaction, const document::ResourceSet& nodes,
                       const std::optional<document::Config>& config);

/// Makes `wanted` the nodes of the store, with the configuration that `compile` gives for them, or without
/// any where it is empty. Returns the ranks of those that leave: what jobs hold of them stays until it is
/// free. Throws what `compile` does.
notation::Idset replace_nodes(Change& change, const document::ResourceSet& wanted, const Compile& compile);

/// Takes nodes out of the inventory that are not wanted any more and that no job holds any longer. To be
/// called once a transaction's jobs have ended.
void remove_released_nodes(Change& change);

}  // namespace fq::manager
