#include "manager/core/stored_reservations.h"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "records/keys.h"

namespace fq::manager {

using nlohmann::json;
using sched::Reservation;
using store::Family;

namespace {

Reservation decode(const JsonAt& at) {
  Reservation reservation;
  reservation.id = notation::JobId{at.at("id").value().get<std::uint64_t>()};
  reservation.request = at.at("request").as_string();
  reservation.start = at.at("start").as_number();
  const JsonAt end = at.at("end");
  reservation.end = end.value().is_null() ? std::numeric_limits<double>::infinity() : end.as_number();
  reservation.certain = at.at("certain").as_boolean();
  reservation.R = document::ResourceSet::from_json(at.at("R"));
  return reservation;
}

void append(std::string& out, const Reservation& reservation) {
  // Infinity, which JSON does not have, is written as null.
  json document = {{"id", reservation.id.value},
                   {"request", reservation.request},
                   {"start", reservation.start},
                   {"end", reservation.end},
                   {"certain", reservation.certain}};
  append_json(out, document);
  out.back() = ',';
  out += R"("R":)" + reservation.R.encode() + '}';
}

}  // namespace

std::vector<Reservation> read_reservations(const store::Reader& reader) {
  const auto text = reader.get(Family::instance, records::key::kReservations);
  if (!text) return {};
  try {
    const json value = parse_json(*text, "reservations");
    const JsonAt all(value, "reservations");
    std::vector<Reservation> reservations;
    for (std::size_t i = 0; i < all.array().size(); ++i) reservations.push_back(decode(all.at(i)));
    return reservations;
  } catch (const Error&) {
    return {};
  } catch (const json::exception&) {
    return {};
  }
}

void write_reservations(store::Transaction& transaction, const std::vector<Reservation>& reservations) {
  const std::string before = transaction.get(Family::instance, records::key::kReservations).value_or("");
  std::string after;
  for (const Reservation& each : reservations) {
    after += after.empty() ? '[' : ',';
    append(after, each);
  }
  if (!after.empty()) after += ']';
  if (after == before) return;
  if (after.empty()) {
    transaction.erase(Family::instance, records::key::kReservations);
  } else {
    transaction.put(Family::instance, records::key::kReservations, after);
  }
}

}  // namespace fq::manager
