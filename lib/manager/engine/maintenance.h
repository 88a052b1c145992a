// Housekeeping of the store: merging the small files that writers leave, so that a lookup need not ask many,
// and freeing files that are out of use (base/trash.h). Nobody waits for it. Job shells do it after their own
// work; other writers, which may be all there are while nothing runs, start a process for it when they have
// added files.

#pragma once

#include "manager/engine/session.h"

namespace fq::manager {

/// A family with so many level-0 files has them merged: an opener reads the head of each.
inline constexpr int kMaxLevel0Files = 4;

/// Whether the writer that left the store like this is to start a process for `maintain`.
[[nodiscard]] bool leaves_work(const StoreCondition& condition);

/// Merges level-0 files where they have piled up, and frees what is in the trash, each unless another process
/// is at it, or the lock stays taken. It is held for moments only (store/rocks/merge.h), but where very many
/// small ones have piled up. Never throws.
void maintain(const Session& session) noexcept;
/// The same, but merges only if `condition` says that it is due.
void maintain(const Session& session, const StoreCondition& condition) noexcept;

}  // namespace fq::manager
