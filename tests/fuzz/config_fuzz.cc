// Configurations of any bytes: they are refused with one line, or every queue comes back from its record, the
// default queue is among them, the nodes that they give are a set, and a place can be named for every key.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "document/config/config.h"
#include "document/config/config_resource.h"

namespace {

using namespace fq::document;

ResourceSet inventory() {
  auto set =
      ResourceSet::uniform(fq::notation::Idset::decode("0-3"), fq::notation::Hostlist::decode("node[0-3]"),
                           fq::notation::Idset::decode("0-3"), {});
  set.set_property("big", fq::notation::Idset::decode("3"));
  return set;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ResourceSet kInventory = inventory();
  try {
    const ConfigSource source(
        {ConfigSource::File{"f", std::string{reinterpret_cast<const char*>(data), size}}});
    for (const auto& [key, value] : source.document().items()) {
      if (!source.place({key}).starts_with("f:")) std::abort();
    }
    const auto nodes = configured_nodes(ConfigAt(source.document(), &source),
                                        [](const std::string&) { return kInventory.encode(); });
    const Config config =
        read_config(source.document(), &source, nodes ? *nodes : kInventory,
                    {[](const nlohmann::json&) { return SchedulerFacts{}; }, [](const nlohmann::json&) {}});
    const auto is_default = [&](const QueueConfig& queue) { return queue.name == config.default_queue; };
    if (std::none_of(config.queues.begin(), config.queues.end(), is_default)) std::abort();
    for (const QueueConfig& queue : config.queues) {
      if (decode_queue(queue.name, encode_queue(queue)) != queue) std::abort();
    }
  } catch (const fq::Error& error) {
    if (error.kind() != fq::Kind::invalid) std::abort();
    if (std::string_view{error.what()}.find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
