// Whether schedulers that are programs are to be asked: a record that a pass leaves which met jobs that they
// serve, for these are asked without the lock (manager/pass/consultation.h). While it is there the waker
// looks whether somebody is at it.
//
// Its number grows with each change that they have to know of. Who has asked them takes the record away
// unless the number is another one by then.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "manager/core/change.h"
#include "store/reader.h"

namespace fq::manager {

struct ConsultationDue {
  std::uint64_t number = 0;
  std::map<std::string, double> since;  ///< by the queues that they serve, seconds since the epoch
};

/// Nothing where none are to be asked.
[[nodiscard]] std::optional<ConsultationDue> consultation_due(const store::Reader& reader);
/// The scheduler of a queue has to know of what this change does.
void note_consultation(Change& change, const std::string& queue);
/// They were asked.
void forget_consultation(store::Transaction& transaction);

/// Held by the one process that asks them, for a store.
[[nodiscard]] std::string consultation_lock(const std::string& store);

}  // namespace fq::manager
