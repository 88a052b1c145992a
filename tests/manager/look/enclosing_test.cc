// Inside which jobs of a store a process stands, by the marks in its environment.

#include "manager/look/enclosing.h"

#include <gtest/gtest.h>

#include "process/tree/job_mark.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;

class Enclosing : public testing::Test {
 protected:
  [[nodiscard]] std::string mark(JobId id) const {
    return process::job_mark(s.session.files().identity(), id) + "1";
  }
  // A job that was submitted from within another one.
  JobId submit_inside(JobId outer) {
    const std::string environment =
        fmt::format(R"("environment":{{"{}":"{}"}})", process::kMarkName, mark(outer));
    return s.submit(Scenario::jobspec(1, 1, environment));
  }
  [[nodiscard]] std::vector<JobId> enclosing(std::vector<std::string> marks,
                                             std::optional<std::string> queue = {}) const {
    return manager::enclosing_jobs(s.session, {std::move(marks), std::move(queue)});
  }

  Scenario s;
};

TEST_F(Enclosing, the_innermost_comes_first_and_those_that_ended_are_left_out) {
  const JobId outer = s.submit(), inner = submit_inside(outer);
  EXPECT_EQ(enclosing({mark(inner)}), (std::vector{inner, outer}));
  EXPECT_EQ(enclosing({"elsewhere.0000.0000.0000.0001.1", mark(outer)}), std::vector{outer});
  EXPECT_EQ(enclosing({}), std::vector<JobId>{});
  s.finish(outer);
  EXPECT_EQ(enclosing({mark(inner)}), std::vector{inner});
}

TEST_F(Enclosing, of_a_queue_only_its_jobs) {
  // Where none are configured jobs are in the anonymous one.
  const JobId id = s.submit();
  EXPECT_EQ(enclosing({mark(id)}, ""), std::vector{id});
  EXPECT_EQ(enclosing({mark(id)}, "batch"), std::vector<JobId>{});
}

}  // namespace
}  // namespace fq::test
