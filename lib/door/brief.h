// Requests that a process answers while others wait for it.

#pragma once

#include <cstddef>

namespace fq::door {

/// Whether requests of the kind at that place of request::kTable may be brief.
[[nodiscard]] bool may_be_brief(std::size_t kind);
/// Whether this one is: it waits for nothing but the store's lock, opens no file that a user named, asks no
/// program, and what it changes is of a bounded number of jobs. How much it reads is for who answers to
/// bound. REQUIRES may_be_brief().
[[nodiscard]] bool is_brief(std::size_t kind, const void* request);

}  // namespace fq::door
