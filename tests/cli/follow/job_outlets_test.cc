#include "cli/follow/job_outlets.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/error_text.h"
#include "support/temp_directory.h"

namespace fq::cli {
namespace {

using notation::JobId;

TEST(JobOutlets, write_to_files) {
  // Files are emptied once, by whoever writes first; stderr has its own or goes the way of stdout.
  const test::TempDirectory directory;
  const auto file = [&](const std::string& name) { return directory.path() + "/" + name; };
  write_file(file("log"), "old");
  JobOutlets outlets;
  const JobFollow both{file("log"), std::nullopt, std::nullopt};
  const JobFollow apart{file("log"), file("err"), std::nullopt};
  outlets.prepare(both);
  outlets.write(both, JobId{1}, OutputTo::out, "a\n");
  outlets.write(both, JobId{1}, OutputTo::err, "b\n");
  outlets.prepare(apart);
  outlets.write(apart, JobId{2}, OutputTo::out, "c\n");
  outlets.write(apart, JobId{2}, OutputTo::err, "d\n");
  EXPECT_EQ(read_file(file("log")), "a\nb\nc\n");
  EXPECT_EQ(read_file(file("err")), "d\n");
}

TEST(JobOutlets, name_files_by_job) {
  // {{id}} in its forms, once the id is known; nothing is made before.
  const test::TempDirectory directory;
  const JobFollow follow{directory.path() + "/{{id.dec}}-{{jobid}}.log", std::nullopt, std::nullopt};
  JobOutlets outlets;
  outlets.prepare(follow);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  outlets.write(follow, JobId{7}, OutputTo::out, "x");
  EXPECT_EQ(read_file(log_path(*follow.log, JobId{7})), "x");
  EXPECT_EQ(log_path("a{{id.hex}}b{{", JobId{255}), "a0xffb{{");
}

TEST(JobOutlets, refuse_what_cannot_be) {
  // Other tags, unknown forms, and files that cannot be made, before anything is submitted.
  JobOutlets outlets;
  const auto prepare = [&](const char* path) {
    const JobFollow follow{path, std::nullopt, std::nullopt};
    return error_text([&] {
      outlets.prepare(follow);
      return 0;
    });
  };
  EXPECT_EQ(prepare("{{name}}"), "--log: {{name}}: only the job's {{id}} is known when it is submitted");
  EXPECT_TRUE(prepare("{{id.x}}").find("'x'") != std::string::npos) << prepare("{{id.x}}");
  EXPECT_EQ(prepare("/nosuch/file"), "cannot open '/nosuch/file': No such file or directory");
}

TEST(JobOutlets, keep_lines_whole_beside_a_bar) {
  // The bar is erased for a whole line, not for its beginning; the rest comes at the end.
  SystemClock clock;
  std::string bar;
  Progress progress{false, clock, 40, [&](std::string_view text) { bar += text; }};
  JobOutlets outlets{&progress};
  const JobFollow follow;
  const auto cleared = [&] {
    progress.update("", 1, 2);
    bar.clear();
    return [&] { return bar == "\r\033[K"; };
  };
  testing::internal::CaptureStdout();
  auto erased = cleared();
  outlets.write(follow, JobId{1}, OutputTo::out, "one ");
  outlets.write(follow, JobId{2}, OutputTo::out, "other ");
  EXPECT_FALSE(erased());
  outlets.write(follow, JobId{1}, OutputTo::out, "line\nrest");
  EXPECT_TRUE(erased());
  outlets.flush();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "one line\nrest\nother \n");
}

}  // namespace
}  // namespace fq::cli
