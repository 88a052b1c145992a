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
#include "manager/site/instance_change.h"
#include "records/instance.h"
#include "records/keys.h"
#include "records/queues.h"

namespace fq::manager {

using document::ResourceSet;

namespace {

document::Config compile(const nlohmann::json& document, const ResourceSet& nodes) {
  try {
    return compile_config(document, nodes);
  } catch (const Error& failure) {
    throw Error{Kind::invalid, fmt::format("the configuration does not fit these nodes: {}", failure.what()),
                "load another one first: fq config load"};
  }
}

}  // namespace

ReloadReply reload_inventory(const Session& session, const ResourceSet& wanted) {
  ReloadReply reply;
  InstanceChange instances(session);
  if (instances.concerns({})) {
    std::optional<document::Config> config;
    query(session, [&](const store::Reader& reader) {
      config = compile(parse_json(records::read_config_document(reader), "configuration"),
                       with_known_ranks(wanted, reader));
    });
    instances.prepare(*config, /*force=*/false);
  }
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
    instances.record(change);
    const Compile compile_for = [&](const ResourceSet& nodes) {
      document::Config config = compile(document, nodes);
      instances.require_same(config);
      return config;
    };
    reply.leaving =
        replace_nodes(change, with_known_ranks(wanted, change.transaction()), text ? compile_for : Compile{});
    reply.inventory = ResourceSet::parse(records::read_inventory(change.transaction()));
  });
  instances.carry_out();
  return reply;
}

}  // namespace fq::manager
