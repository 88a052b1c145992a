// Jobs that have started or ended while not all of their dependants have been notified: there may be more of
// these than belong into one transaction. The key `untold/` be64(id) has be64(the first dependant that is not
// notified yet).

#pragma once

#include <optional>
#include <utility>

#include "notation/fluid.h"
#include "store/transaction.h"

namespace fq::records {

/// Stores that the dependants of `on` from `first` on are to be notified. The same of a job that is stored
/// already takes the place of that.
void write_notice(store::Transaction& transaction, notation::JobId on, notation::JobId first);
void erase_notice(store::Transaction& transaction, notation::JobId on);
/// Whether `dependant` is still to be notified what has become of `on`.
[[nodiscard]] bool is_to_be_notified(const store::Reader& reader, notation::JobId on,
                                     notation::JobId dependant);
/// The last, in the order of ids: the job, and its first dependant that is not notified. Nothing when all
/// are.
[[nodiscard]] std::optional<std::pair<notation::JobId, notation::JobId>> last_notice(
    const store::Reader& reader);

}  // namespace fq::records
