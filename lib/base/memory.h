// How this process takes memory from the system.

#pragma once

#include <string_view>

namespace fq {

/// For short-lived commands with bounded memory: freed memory goes back to the system at once, and threads
/// share one heap. Measured: a bulk submission of 100 000 jobs peaks at 41 MB instead of 62. To be called
/// before threads are started.
void keep_memory_small();

/// From now on an allocation that fails, on whichever thread and nothrow ones too, ends the process with code
/// 1 and the line `name: out of memory`, which says where a change is, or may be, stored. The line is left
/// out where stderr takes none at once. (The database engine does not survive such a failure in the midst of
/// its work; the store survives the end of a process at any point.)
void end_when_out_of_memory(std::string_view name);

/// While this lives a change is being stored: whether it was cannot be told if the process ends. Once it is
/// gone, something may be stored. One at a time.
class ChangeUnderWay {
 public:
  ChangeUnderWay();
  ~ChangeUnderWay();
  ChangeUnderWay(const ChangeUnderWay&) = delete;
  ChangeUnderWay& operator=(const ChangeUnderWay&) = delete;
};

}  // namespace fq
