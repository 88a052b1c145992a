#include "manager/pass/stored_reservations.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "records/keys.h"

namespace fq::manager {

using nlohmann::json;
using sched::Reservation;
using store::Family;
namespace key = records::key;

namespace {

// What nodes have in common, by rank.
struct Alike {
  notation::Idset ranks;
  const document::ResourceSet::Node* node;
};

std::vector<Alike> alike(const document::ResourceSet& r) {
  std::vector<Alike> groups;
  for (const document::ResourceSet::Node& node : r.nodes()) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Alike& each) {
      return each.node->cores == node.cores && each.node->gpus == node.gpus;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), {{}, &node});
    group->ranks.insert(node.rank);
  }
  return groups;
}

// By rank, on the hosts that the inventory has now.
document::ResourceSet decode_nodes(const JsonAt& at, const document::ResourceSet& inventory) {
  std::map<std::uint32_t, document::ResourceSet::Node> nodes;
  for (std::size_t i = 0; i < at.array().size(); ++i) {
    const JsonAt group = at.at(i);
    const auto cores = notation::Idset::decode(group.at("cores").as_string());
    const auto gpus = notation::Idset::decode(group.at("gpus").as_string());
    notation::Idset::decode(group.at("ranks").as_string()).for_each([&](std::uint32_t rank) {
      if (const auto* node = inventory.find(rank)) nodes[rank] = {rank, node->host, cores, gpus};
    });
  }
  document::ResourceSet r;
  for (auto& [rank, node] : nodes) r.add(std::move(node));
  return r;
}

Reservation decode(const JsonAt& at, const document::ResourceSet& inventory) {
  Reservation reservation;
  reservation.id = notation::JobId{at.at("id").value().get<std::uint64_t>()};
  reservation.request = at.at("request").as_string();
  reservation.start = at.at("start").as_number();
  const JsonAt end = at.at("end");
  reservation.end = end.value().is_null() ? std::numeric_limits<double>::infinity() : end.as_number();
  reservation.certain = at.at("certain").as_boolean();
  reservation.made = at.at("made").as_number();
  if (const auto stale = at.find("stale")) reservation.stale = stale->as_boolean();
  if (const auto down = at.find("down")) reservation.down_since = down->as_number();
  reservation.R = decode_nodes(at.at("nodes"), inventory);
  return reservation;
}

std::optional<Reservation> decode(std::string_view text, const document::ResourceSet& inventory) {
  try {
    const json value = parse_json(text, "reservation");
    return decode(JsonAt(value, "reservation"), inventory);
  } catch (const Error&) {
    return std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::string encode(const Reservation& reservation) {
  // Written at nearly every pass: but for the request there is nothing to be escaped.
  std::string out = fmt::format(R"({{"id":{},"request":)", reservation.id.value);
  append_json(out, json(reservation.request));
  // Infinity, which JSON does not have, is written as null.
  const std::string end = std::isinf(reservation.end) ? "null" : fmt::format("{}", reservation.end);
  const auto to = std::back_inserter(out);
  fmt::format_to(to, R"(,"start":{},"end":{},"certain":{},"made":{})", reservation.start, end,
                 reservation.certain, reservation.made);
  if (reservation.stale) out += R"(,"stale":true)";
  if (reservation.down_since > 0) fmt::format_to(to, R"(,"down":{})", reservation.down_since);
  out += R"(,"nodes":[)";
  for (const Alike& each : alike(reservation.R)) {
    fmt::format_to(to, R"({{"ranks":"{}","cores":"{}","gpus":"{}"}},)", each.ranks.encode(),
                   each.node->cores.encode(), each.node->gpus.encode());
  }
  if (out.back() == ',') out.pop_back();
  return out + "]}";
}

// Of what is stored.
bool same(const Reservation& a, const Reservation& b) {
  return a.id == b.id && a.start == b.start && a.end == b.end && a.certain == b.certain &&
         a.stale == b.stale && a.down_since == b.down_since && a.made == b.made && a.request == b.request &&
         a.R == b.R;
}

}  // namespace

StoredReservations::StoredReservations(const store::Reader& reader, const document::ResourceSet& inventory) {
  for (const auto at = reader.scan_prefix(Family::instance, key::kReservationPrefix); at->valid();
       at->next()) {
    places_.push_back(key::reservation_place(at->key()));
    auto read = decode(at->value(), inventory);
    // Written anew, or erased, by the next pass.
    noted_.push_back(!read.has_value());
    all_.push_back(read ? *std::move(read) : Reservation{});
  }
  if (const auto text = reader.get(Family::instance, key::kReservationsRanked))
    ranked_ = static_cast<double>(parse_u64(*text).value_or(0)) * 1e-6;
}

std::vector<Reservation> read_reservations(const store::Reader& reader,
                                           const document::ResourceSet& inventory) {
  std::vector<Reservation> found = StoredReservations(reader, inventory).all();
  std::erase_if(found, [](const Reservation& each) { return each.id == notation::JobId{}; });
  return found;
}

void StoredReservations::ends_moved(const notation::Idset& ranks) {
  freed_ = true;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].stale || !all_[i].R.ranks().intersects(ranks)) continue;
    all_[i].stale = true;
    noted_[i] = true;
  }
}

void StoredReservations::make_void() {
  freed_ = true;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    noted_[i] = noted_[i] || !all_[i].stale;
    all_[i].stale = true;
  }
  if (ranked_ == 0) return;
  ranked_ = 0;
  ranked_noted_ = true;
}

void StoredReservations::write_ranked(store::Transaction& transaction, double ranked) {
  if (ranked == ranked_ && !std::exchange(ranked_noted_, false)) return;
  ranked_ = ranked;
  if (ranked == 0) {
    transaction.erase(Family::instance, key::kReservationsRanked);
  } else {
    transaction.put(Family::instance, key::kReservationsRanked,
                    fmt::format("{}", records::to_microseconds(ranked)));
  }
}

void StoredReservations::replace(store::Transaction& transaction, std::vector<Reservation> reservations,
                                 double ranked, bool freed) {
  std::vector<std::uint64_t> places;
  places.reserve(reservations.size());
  std::set<std::uint64_t> left(places_.begin(), places_.end());
  std::uint64_t next = places_.empty() ? 1 : places_.back() + 1;
  std::size_t from = 0;
  for (const Reservation& each : reservations) {
    // What stands in the order that it had keeps its place.
    const auto known = std::find_if(all_.begin() + static_cast<std::ptrdiff_t>(from), all_.end(),
                                    [&](const Reservation& other) { return other.id == each.id; });
    const auto at = static_cast<std::size_t>(known - all_.begin());
    const bool keeps_place = known != all_.end() && (places.empty() || places.back() < places_[at]);
    places.push_back(keeps_place ? places_[at] : next++);
    if (keeps_place) {
      from = at + 1;
      left.erase(places_[at]);
      if (!noted_[at] && same(*known, each)) continue;
    }
    transaction.put(Family::instance, key::reservation(places.back()), encode(each));
  }
  for (const std::uint64_t place : left) transaction.erase(Family::instance, key::reservation(place));
  all_ = std::move(reservations);
  places_ = std::move(places);
  noted_.assign(all_.size(), false);
  freed_ = freed;
  write_ranked(transaction, ranked);
}

void StoredReservations::write(store::Transaction& transaction) {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (!noted_[i] || all_[i].id == notation::JobId{}) continue;
    transaction.put(Family::instance, key::reservation(places_[i]), encode(all_[i]));
    noted_[i] = false;
  }
  if (ranked_noted_) write_ranked(transaction, ranked_);
}

}  // namespace fq::manager
