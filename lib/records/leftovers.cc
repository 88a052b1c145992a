#include "records/leftovers.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "records/keys.h"

namespace fq::records {

using nlohmann::json;
using notation::JobId;
using store::Family;

std::optional<Leftovers> find_leftovers(const store::Reader& reader, JobId id) {
  const auto text = reader.get(Family::instance, key::leftovers(id));
  if (!text) return std::nullopt;
  const json document = parse_json(*text, "leftovers");
  const JsonAt record{document, "leftovers"};
  Leftovers leftovers;
  leftovers.boot_id = record.at("boot_id").as_string();
  leftovers.since = record.at("since").as_number();
  leftovers.kills =
      static_cast<std::uint32_t>(record.at("kills").as_integer(0, std::numeric_limits<std::uint32_t>::max()));
  leftovers.pause_s = record.at("pause").as_number();
  leftovers.next = record.at("next").as_number();
  const JsonAt processes = record.at("processes").array();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const JsonAt process = processes.at(i).array();
    leftovers.processes.emplace_back(
        static_cast<std::int32_t>(process.at(0).as_integer(1, std::numeric_limits<std::int32_t>::max())),
        static_cast<std::uint64_t>(process.at(1).as_integer(0, std::numeric_limits<std::int64_t>::max())));
  }
  return leftovers;
}

void write_leftovers(store::Transaction& transaction, JobId id, const Leftovers& leftovers) {
  const json record{{"boot_id", leftovers.boot_id}, {"since", leftovers.since},
                    {"kills", leftovers.kills},     {"pause", leftovers.pause_s},
                    {"next", leftovers.next},       {"processes", leftovers.processes}};
  transaction.put(Family::instance, key::leftovers(id), dump_json(record));
}

void erase_leftovers(store::Transaction& transaction, JobId id) {
  transaction.erase(Family::instance, key::leftovers(id));
}

}  // namespace fq::records
