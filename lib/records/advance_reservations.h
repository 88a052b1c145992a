// Nodes that are kept for some, in a time that is set beforehand. Truth; each change is also an event in
// instance.eventlog.
//
//   reserve/ be64(number)    document/resource/advance_reservation.h
//   reserve.last             the number of the last one that was made, decimal

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/resource/advance_reservation.h"
#include "store/transaction.h"

namespace fq::records {

/// By number; those that are over may be among them.
[[nodiscard]] std::vector<document::AdvanceReservation> read_advance_reservations(
    const store::Reader& reader);
void write_advance_reservation(store::Transaction& transaction,
                               const document::AdvanceReservation& reservation);
/// What is wrong with the stored ones, a line each: `reservation 3: …`.
[[nodiscard]] std::vector<std::string> check_advance_reservations(const store::Reader& reader);
/// Removes those that cannot be read, and sees to it that no number is given twice.
void repair_advance_reservations(store::Transaction& transaction);
void erase_advance_reservation(store::Transaction& transaction, std::uint64_t number);
/// One that no other had.
[[nodiscard]] std::uint64_t take_reservation_number(store::Transaction& transaction);

}  // namespace fq::records
