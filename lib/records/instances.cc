#include "records/instances.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "records/instance.h"
#include "records/keys.h"

namespace fq::records {

using nlohmann::json;
using notation::Idset;
using store::Family;

const StandingInstance* StandingInstances::find(std::string_view queue) const {
  const auto at = std::find_if(list.begin(), list.end(),
                               [&](const StandingInstance& each) { return each.of.queue == queue; });
  return at == list.end() ? nullptr : &*at;
}

StandingInstances read_instances(const store::Reader& reader) {
  StandingInstances known;
  const auto text = reader.get(Family::instance, key::kInstances);
  if (!text) return known;
  const json document = parse_json(*text, "record of instances");
  const JsonAt at{document, "record of instances"};
  known.generation =
      static_cast<std::uint64_t>(at.at("generation").as_integer(0, std::numeric_limits<std::int64_t>::max()));
  known.last = static_cast<std::uint32_t>(at.at("last").as_integer(0, kMaxGenerator));
  const JsonAt list = at.at("instances").array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonAt each = list.at(i);
    StandingInstance instance;
    instance.of.queue = each.at("queue").as_string();
    instance.of.ranks = Idset::decode(each.at("ranks").as_string());
    instance.number = static_cast<std::uint32_t>(each.at("number").as_integer(1, kMaxGenerator));
    const JsonAt queues = each.at("queues").array();
    for (std::size_t j = 0; j < queues.size(); ++j) instance.of.queues.push_back(queues.at(j).as_string());
    known.list.push_back(std::move(instance));
  }
  return known;
}

void write_instances(store::Transaction& transaction, const std::vector<document::QueueInstance>& wanted) {
  StandingInstances known = read_instances(transaction);
  if (wanted.empty() && known.generation == 0) return;
  json list = json::array();
  for (const document::QueueInstance& each : wanted) {
    const StandingInstance* before = known.find(each.queue);
    if (before == nullptr && known.last == kMaxGenerator)
      throw error(Kind::refused, "a store has no more than {} instances in its time", kMaxGenerator);
    list.push_back({{"queue", each.queue},
                    {"queues", each.queues},
                    {"ranks", each.ranks.encode()},
                    {"number", before != nullptr ? before->number : ++known.last}});
  }
  const json document{{"generation", known.generation + 1}, {"last", known.last}, {"instances", list}};
  transaction.put(Family::instance, key::kInstances, dump_json(document));
}

}  // namespace fq::records
