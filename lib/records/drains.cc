#include "records/drains.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "records/keys.h"

namespace fq::records {

using nlohmann::json;
using store::Family;

document::Drain decode_drain(std::string_view text) {
  const json document = parse_json(text, "drain record");
  const JsonAt record{document, "drain record"};
  document::Drain drain;
  drain.reason = record.at("reason").as_string();
  drain.time = record.at("time").as_number();
  drain.userid = static_cast<std::uint32_t>(
      record.at("userid").as_integer(0, std::numeric_limits<std::uint32_t>::max()));
  return drain;
}

document::Drains read_drains(const store::Reader& reader) {
  document::Drains drains;
  for (const auto at = reader.scan_prefix(Family::instance, key::kDrainPrefix); at->valid(); at->next())
    drains[key::drained_rank(at->key())] = decode_drain(at->value());
  return drains;
}

notation::Idset drained_ranks(const store::Reader& reader) {
  notation::Idset ranks;
  for (const auto at = reader.scan_prefix(Family::instance, key::kDrainPrefix); at->valid(); at->next()) {
    ranks.insert(key::drained_rank(at->key()));
  }
  return ranks;
}

void write_drain(store::Transaction& transaction, std::uint32_t rank, const document::Drain& drain) {
  const json record{{"reason", drain.reason}, {"time", drain.time}, {"userid", drain.userid}};
  transaction.put(Family::instance, key::drain(rank), dump_json(record));
}

void erase_drain(store::Transaction& transaction, std::uint32_t rank) {
  transaction.erase(Family::instance, key::drain(rank));
}

}  // namespace fq::records
