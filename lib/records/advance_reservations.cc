#include "records/advance_reservations.h"

#include <algorithm>
#include <exception>

#include <fmt/core.h>

#include "base/text.h"
#include "records/keys.h"

namespace fq::records {

using document::AdvanceReservation;
using store::Family;

namespace {

// A stored record, and what is wrong with it; empty: nothing.
struct Looked {
  std::string key;
  std::uint64_t number = 0;
  std::string fault;
};

std::string fault_of(std::uint64_t number, std::string_view text) {
  try {
    const AdvanceReservation reservation = document::decode_reservation(number, text);
    if (reservation.ranks.empty()) return "it has no nodes";
    if (!(reservation.start < reservation.end)) return "it ends before it begins";
    return {};
  } catch (const std::exception& failure) {
    return fmt::format("it cannot be read: {}", failure.what());
  }
}

std::vector<Looked> look_at_all(const store::Reader& reader) {
  std::vector<Looked> all;
  for (const auto at = reader.scan_prefix(Family::instance, key::kReservePrefix); at->valid(); at->next()) {
    Looked& one = all.emplace_back(Looked{std::string{at->key()}, 0, "its key has no number"});
    if (one.key.size() != key::kReservePrefix.size() + sizeof(std::uint64_t)) continue;
    one.number = key::reserved_number(one.key);
    one.fault = fault_of(one.number, at->value());
  }
  return all;
}

std::uint64_t last_number(const store::Reader& reader) {
  const auto last = reader.get(Family::instance, key::kReserveLast);
  return last ? parse_u64(*last).value_or(0) : 0;
}

}  // namespace

std::vector<std::string> check_advance_reservations(const store::Reader& reader) {
  std::vector<std::string> faults;
  const std::uint64_t last = last_number(reader);
  for (const Looked& one : look_at_all(reader)) {
    if (!one.fault.empty()) faults.push_back(fmt::format("reservation {}: {}", one.number, one.fault));
    if (one.number > last)
      faults.push_back(fmt::format("reservation {} has a number after the last one, {}", one.number, last));
  }
  return faults;
}

void repair_advance_reservations(store::Transaction& transaction) {
  const std::uint64_t before = last_number(transaction);
  std::uint64_t last = before;
  for (const Looked& one : look_at_all(transaction)) {
    last = std::max(last, one.number);
    if (!one.fault.empty()) transaction.erase(Family::instance, one.key);
  }
  if (last > before) transaction.put(Family::instance, key::kReserveLast, fmt::format("{}", last));
}

std::vector<AdvanceReservation> read_advance_reservations(const store::Reader& reader) {
  std::vector<AdvanceReservation> all;
  for (const auto at = reader.scan_prefix(Family::instance, key::kReservePrefix); at->valid(); at->next())
    all.push_back(document::decode_reservation(key::reserved_number(at->key()), at->value()));
  return all;
}

void write_advance_reservation(store::Transaction& transaction, const AdvanceReservation& reservation) {
  transaction.put(Family::instance, key::reserve(reservation.number), encode_reservation(reservation));
}

void erase_advance_reservation(store::Transaction& transaction, std::uint64_t number) {
  transaction.erase(Family::instance, key::reserve(number));
}

std::uint64_t take_reservation_number(store::Transaction& transaction) {
  const std::uint64_t number = last_number(transaction) + 1;
  transaction.put(Family::instance, key::kReserveLast, fmt::format("{}", number));
  return number;
}

}  // namespace fq::records
