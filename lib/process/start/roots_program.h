// Programs that a configuration names, where they run for all users of a machine: root's alone, so that
// whoever takes the batch system's user over, or is an operator, can have nothing else run by it.

#pragma once

#include <string>

namespace fq::process {

/// Why the program may not be run for a store, in words that name it: that of all users has none but those
/// below /etc/fq, which, with each directory above them, belong to root and can be written by nobody else.
/// Empty: it may, as any for another store.
[[nodiscard]] std::string why_not_roots(const std::string& store, const std::string& program);

}  // namespace fq::process
