// What is left of a job whose shell died: when it is looked at again.

#include "manager/lost_shells.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "exec/process_id.h"
#include "exec/task_record.h"
#include "records/keys.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;
using records::Leftovers;

TEST(LostShells, a_look_is_due_when_a_kill_is_or_all_have_ended) {
  // As long as one lives there is nothing to find before that.
  const auto self = exec::read_process_stat(::getpid());
  Leftovers left{"boot", 1000, 1,
                 5,      1005, {{self->pid, self->start_time + 1}, {self->pid, self->start_time}}};
  EXPECT_FALSE(manager::look_is_due(left, 1001));
  EXPECT_TRUE(manager::look_is_due(left, 1005));
  left.processes.pop_back();
  EXPECT_TRUE(manager::look_is_due(left, 1001));
}

TEST(LostShells, looks_become_rarer_and_never_cease) {
  // A quarter of the time that it took so far, from a second to a minute, and not after the next kill.
  const Leftovers left{"boot", 1000, 9, 300, 9000, {}};
  EXPECT_EQ(manager::next_look(left, 1000), 1001);
  EXPECT_EQ(manager::next_look(left, 1040), 1050);
  EXPECT_EQ(manager::next_look(left, 5000), 5060);
  EXPECT_EQ(manager::next_look(left, 8990), 9000);
}

TEST(LostShells, of_a_job_that_waits_again_nothing_is_left) {
  // What was stored of its start is lost, as by damage; its shell had begun, and is gone.
  Scenario s;
  const JobId id = s.submit(Scenario::jobspec(), 0);
  const exec::JobFiles files = s.session.files();
  const TempDirectory place;
  const std::string tmpdir = place.path() + "/fq-job";
  make_directory(tmpdir);
  files.create_guest(id);
  write_file(files.tasks(id),
             exec::encode_record(exec::PlaceRecord{1, exec::PlaceRecord::Kind::tmpdir, tmpdir}));
  s.tick();
  EXPECT_FALSE(exists(files.guest(id)) || exists(tmpdir));
}

}  // namespace
}  // namespace fq::test
