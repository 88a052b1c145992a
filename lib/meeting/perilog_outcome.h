// How a prolog or an epilog ended.

#pragma once

#include <cstdint>
#include <string>

namespace fq::meeting {

struct PerilogOutcome {
  std::int32_t status = 0;  ///< as wait(2) gives it; 0: it has done its work
  std::string note;  ///< of a status other than 0: `exited with 3: no scratch space`, `timed out after 30m`
  bool expired = false;   ///< it was ended because the job's time limit was reached
  bool canceled = false;  ///< it was ended because the job was
  double t_finish = 0;    ///< when nothing was left of it, seconds since the epoch

  friend bool operator==(const PerilogOutcome&, const PerilogOutcome&) = default;
};

}  // namespace fq::meeting
