#include "cli/jobs/job_window.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/jobs/job_fields.h"

namespace fq::cli {
namespace {

request::ListedJob job(std::uint64_t id, std::string name) {
  request::ListedJob listed;
  listed.job.id = notation::JobId{id};
  listed.job.name = std::move(name);
  return listed;
}

/// What is kept of so many jobs, two of each end, in the order of `keys`: ids and names; what is left out.
std::string window(std::uint64_t jobs, std::string_view keys) {
  std::vector<SortKey> parsed;
  if (!keys.empty()) parsed = parse_sort_keys(keys, field_names(job_fields()));
  JobWindow window(std::move(parsed), 0, 2);
  for (std::uint64_t id = 1; id <= jobs; ++id) window.add(job(id, id * 7 % 10 < 5 ? "a" : "b"));
  std::string out;
  for (const request::ListedJob& listed : window.take()) {
    out += fmt::format("{}{} ", listed.job.id.value, listed.job.name);
  }
  return fmt::format("{}({})", out, window.left_out());
}

TEST(JobWindow, keeps_the_ends) {
  // As they come, or sorted, equal ones as they come; where there are few, all.
  EXPECT_EQ(window(0, ""), "(0)");
  EXPECT_EQ(window(4, ""), "1b 2a 3a 4b (0)");
  EXPECT_EQ(window(5, ""), "1b 2a 4b 5b (1)");
  EXPECT_EQ(window(50, ""), "1b 2a 49a 50a (46)");
  EXPECT_EQ(window(50, "name"), "2a 3a 47b 48b (46)");
  EXPECT_EQ(window(50, "-name"), "1b 4b 49a 50a (46)");
  EXPECT_EQ(window(50, "name,-id.dec"), "50a 49a 4b 1b (46)");
}

}  // namespace
}  // namespace fq::cli
