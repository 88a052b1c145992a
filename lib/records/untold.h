// Jobs that have started or ended while not all jobs that wait for them are told yet: there may be more of
// these than belong into one transaction. `untold/` be64(id) has be64(the first dependant that is not told).

#pragma once

#include <optional>
#include <utility>

#include "notation/fluid.h"
#include "store/transaction.h"

namespace fq::records {

/// Notes that the dependants of `on` from `first` on are to be told. The same of a job that is noted already
/// takes the place of that.
void write_untold(store::Transaction& transaction, notation::JobId on, notation::JobId first);
void erase_untold(store::Transaction& transaction, notation::JobId on);
/// Whether `dependant` is still to be told what has become of `on`.
[[nodiscard]] bool is_to_be_told(const store::Reader& reader, notation::JobId on, notation::JobId dependant);
/// What is noted last, in the order of ids: the job, and its first dependant that is not told. Nothing when all
/// are.
[[nodiscard]] std::optional<std::pair<notation::JobId, notation::JobId>> last_untold(
    const store::Reader& reader);

}  // namespace fq::records
