// How this process takes memory from the system.

#pragma once

namespace fq {

/// For short-lived commands with bounded memory: freed memory goes back to the system at once, and threads
/// share one heap. Measured: a bulk submission of 100 000 jobs peaks at 41 MB instead of 62. To be called
/// before threads are started.
void keep_memory_small();

}  // namespace fq
