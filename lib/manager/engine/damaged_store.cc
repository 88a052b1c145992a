#include "manager/engine/damaged_store.h"

#include "base/error.h"
#include "base/text.h"
#include "manager/engine/store_check.h"
#include "records/instance.h"
#include "store/rocks/salvage.h"

namespace fq::manager {

void DamagedStore::query(const Session& session, const store::rocks::DamageError& damage,
                         const std::function<void(const store::Reader&)>& read) {
  store::rocks::read_damaged(session.store, [&](const store::Reader& reader,
                                                const std::vector<std::string>& lost) {
    require_own_store(session.store, reader);
    const std::uint64_t format = records::read_store_info(reader).format;
    if (format < records::kFormatVersion) {
      throw Error{
          Kind::unavailable,
          fmt::format("{}; it has format {}, which is not read before it is mended", damage.what(), format),
          "fq fsck --repair mends it, and brings it to the present format"};
    }
    if (!std::exchange(was_read_, true)) notice_(damage.what(), lost);
    try {
      read(reader);
    } catch (const Error& failure) {
      if (failure.kind() != Kind::not_found) throw;
      throw Error{Kind::not_found, fmt::format("{}, as far as the damaged store can be read", failure.what()),
                  failure.hint()};
    }
  });
}

bool has_read_damaged(const Session& session) {
  return session.damaged != nullptr && session.damaged->was_read();
}

}  // namespace fq::manager
