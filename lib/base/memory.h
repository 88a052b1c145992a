// How this process takes memory from the system.

#pragma once

#include <string_view>

namespace fq {

/// For short-lived commands with bounded memory: freed memory goes back to the system at once, and threads
/// share one heap. Measured: a bulk submission of 100 000 jobs peaks at 41 MB instead of 62. To be called
/// before threads are started.
void keep_memory_small();

/// From now on an allocation that fails, on whichever thread, ends the process with code 1 and the line
/// `name: out of memory`, which says so where a change may be stored. The database engine does not survive
/// one in the midst of its work; the store survives the end of a process at any point.
void end_when_out_of_memory(std::string_view name);
/// From now on this process has stored a change, or is about to.
void note_change_begun();

}  // namespace fq
