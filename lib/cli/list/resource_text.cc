#include "cli/list/resource_text.h"

#include "base/error.h"
#include "cli/frame/output.h"

namespace fq::cli {

using document::ResourceSet;
using notation::Idset;

void print_resources(std::string_view tool, const ResourceSet& set) {
  Idset without_cores;
  for (const ResourceSet::Node& node : set.nodes()) {
    if (node.cores.empty()) without_cores.insert(node.rank);
  }
  if (without_cores.count() == set.nnodes()) {
    throw Error{Kind::refused,
                set.empty() ? std::string{"no resources are left, and R has at least one core"}
                            : fmt::format("no cores are left, and R has at least one: {}", set.summary())};
  }
  if (without_cores.empty()) return print(set.encode() + "\n");
  say(tool, "left out, for R has no nodes without cores: " + set.subset(without_cores).summary());
  ResourceSet rest = set.subset(set.ranks().subtract(without_cores));
  rest.nslots = set.nslots;
  print(rest.encode() + "\n");
}

}  // namespace fq::cli
