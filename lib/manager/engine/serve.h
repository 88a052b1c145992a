// Answering requests: for each kind of the table the function that does it.

#pragma once

#include <cstddef>

#include "manager/engine/session.h"

namespace fq::manager {

/// Answers the request at the place `kind` of request::kTable. `request` is a RequestAt<kind>; `reply`, null
/// where the reply comes in rows, is its Reply to fill; `rows` is its Stream, else null. Throws the Error
/// with which it is refused.
void serve(const Session& session, std::size_t kind, const void* request, void* reply, const void* rows);

}  // namespace fq::manager
