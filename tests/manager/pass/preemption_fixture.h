// A store in which standby jobs give way.

#pragma once

#include <string>

#include "manager/core/queues_fixture.h"
#include "meeting/control.h"

namespace fq::test {

inline constexpr const char* kStandby = R"(
[policy.scheduler]
preempt = ["standby"]
preempt-grace = "30s"
)";

class PreemptionTest : public QueuesTest {
 protected:
  static std::string standby() { return R"("qos":"standby")"; }
  notation::JobId submit_standby(std::uint32_t slots) { return s.submit(spec(standby(), slots)); }
  void later(double seconds) {
    s.clock.advance(seconds);
    s.tick();
  }
  /// The shell ends its tasks as it was told to.
  void obey(notation::JobId id, int status = 15) {
    s.finish(id, status);
    later(1);
  }
  bool warned(notation::JobId id) { return meeting::preempt_ordered(s.session.files(), id); }
  bool ended(notation::JobId id) { return meeting::cancel_ordered(s.session.files(), id); }
};

}  // namespace fq::test
