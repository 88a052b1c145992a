#include "manager/site/reload.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/config/config_resource.h"
#include "document/resource/inventory_check.h"
#include "manager/core/inventory.h"
#include "manager/core/permission.h"
#include "manager/site/configure.h"
#include "records/instance.h"
#include "records/keys.h"

namespace fq::manager {

using document::ResourceSet;

ReloadReply reload_inventory(const Session& session, const ResourceSet& wanted) {
  ReloadReply reply;
  transact(session, [&](Change& change) {
    require_operator(change, "reload the inventory");
    try {
      document::check_inventory(wanted);
    } catch (const Error& failure) {
      throw failure.within("R");
    }
    const auto text = change.transaction().get(store::Family::instance, records::key::kConfig);
    const nlohmann::json document = text ? parse_json(*text, "configuration") : nlohmann::json{};
    if (document::gives_nodes(document)) {
      throw Error{Kind::refused, "the configuration in force gives the nodes",
                  "change its table resource: fq config load"};
    }
    const Compile compile = [&](const ResourceSet& nodes) {
      try {
        return compile_config(document, nodes);
      } catch (const Error& failure) {
        throw Error{Kind::invalid,
                    fmt::format("the configuration does not fit these nodes: {}", failure.what()),
                    "load another one first: fq config load"};
      }
    };
    reply.leaving =
        replace_nodes(change, with_known_ranks(wanted, change.transaction()), text ? compile : Compile{});
    reply.inventory = ResourceSet::parse(records::read_inventory(change.transaction()));
  });
  return reply;
}

}  // namespace fq::manager
