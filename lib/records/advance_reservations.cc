#include "records/advance_reservations.h"

#include "base/text.h"
#include "records/keys.h"

namespace fq::records {

using document::AdvanceReservation;
using store::Family;

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
  const auto last = transaction.get(Family::instance, key::kReserveLast);
  const std::uint64_t number = (last ? parse_u64(*last).value_or(0) : 0) + 1;
  transaction.put(Family::instance, key::kReserveLast, fmt::format("{}", number));
  return number;
}

}  // namespace fq::records
