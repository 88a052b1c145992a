#include "document/resource/named_ranks.h"

#include "base/error.h"
#include "base/text.h"
#include "notation/hostlist.h"

namespace fq::document {

using notation::Idset;

Idset named_ranks(const ResourceSet& inventory, const std::string& text) {
  if (notation::is_idset_text(text)) {
    const Idset ranks = Idset::decode(text);
    const Idset unknown = ranks.subtract(inventory.ranks());
    if (!unknown.empty()) {
      throw Error{Kind::not_found, fmt::format("there is no node of rank {}", unknown.encode()),
                  fmt::format("ranks are {}", inventory.ranks().encode())};
    }
    return ranks;
  }
  const auto hosts = notation::Hostlist::decode(text);
  if (hosts.empty()) throw Error{Kind::usage, "which nodes? give their ranks or names"};
  for (const std::string& host : hosts.hosts()) {
    if (inventory.ranks_on(host).empty()) {
      throw Error{Kind::not_found, fmt::format("there is no node {}", quote(host)),
                  "the nodes are " + inventory.nodelist()};
    }
  }
  return inventory.ranks_on(hosts);
}

}  // namespace fq::document
