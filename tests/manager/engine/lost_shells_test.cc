// What is left of a job whose shell died: when it is looked at again.

#include "manager/engine/lost_shells.h"

#include <csignal>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "manager/run/guest.h"
#include "meeting/own_guest.h"
#include "meeting/task_record.h"
#include "process/tree/process_id.h"
#include "records/keys.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;
using records::Leftovers;

TEST(LostShells, a_look_is_due_when_a_kill_is_or_all_have_ended) {
  // As long as one lives there is nothing to find before that.
  const auto self = process::read_process_stat(::getpid());
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
  const meeting::JobFiles files = s.session.files();
  const TempDirectory place;
  const std::string tmpdir = place.path() + "/fq-job";
  make_directory(tmpdir);
  files.create_guest(id);
  write_file(files.tasks(id),
             meeting::encode_record(meeting::PlaceRecord{1, meeting::PlaceRecord::Kind::tmpdir, tmpdir}));
  s.tick();
  EXPECT_FALSE(exists(files.guest(id)) || exists(tmpdir));
}

class LostGuest : public testing::Test {
 protected:
  // A file of a running job's own that has another name elsewhere, and is too large for the database.
  void make_linked(JobId id) {
    files_.create_guest(id);
    make_directory(meeting::own_guest_dir(files_, id));
    const std::string path = meeting::own_guest_dir(files_, id) + "/big";
    write_file(path, std::string(manager::kMaxImportBytes + 1, 'x'));
    ASSERT_EQ(::link(path.c_str(), (place_.path() + "/big").c_str()), 0);
  }
  void lose(JobId id) {
    write_file(files_.tasks(id), meeting::encode_record(meeting::TaskRecord{1, 1, 1, boot_id(), 0}));
    s_.kill_shell(id);
    s_.tick();
  }

  Scenario s_;
  meeting::JobFiles files_ = s_.session.files();
  TempDirectory place_;
};

TEST_F(LostGuest, a_document_that_cannot_be_copied_is_left_out_and_told_of) {
  // It has its other name; the job ends, and nobody's command fails.
  const JobId id = s_.submit();
  make_linked(id);
  make_directory(files_.data_dir());
  make_directory(files_.data(id));
  make_directory(files_.data(id) + "/new.guest.big");  // in the way of the copy
  lose(id);
  EXPECT_EQ(s_.states({id}), "F");
  EXPECT_NE(s_.document(id, "eventlog").find("not kept as guest.NAME: 'big' (cannot open "),
            std::string::npos);
}

TEST_F(LostGuest, nothing_of_a_copy_that_failed_stays) {
  // As on a full disk, a part could be written.
  const JobId id = s_.submit();
  make_linked(id);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100'000, before.rlim_max};
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const manager::CollectedGuest guest = manager::collect_guest(files_, id);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  EXPECT_NE(guest.left_out.find("'big' (cannot write "), std::string::npos) << guest.left_out;
  EXPECT_FALSE(exists(files_.data(id) + "/new.guest.big") || exists(files_.data(id) + "/guest.big"));
  s_.finish(id);
}

TEST_F(LostGuest, a_job_whose_files_cannot_be_moved_hinders_no_other) {
  // It stays as it was, and ends once they can.
  const JobId id = s_.submit();
  files_.create_guest(id);
  write_file(files_.guest(id) + "/output", std::string(manager::kMaxImportBytes + 1, 'x'));
  make_directory(files_.data_dir());
  write_file(files_.data(id), "");  // in the way of the directory
  lose(id);
  const JobId other = s_.submit();
  EXPECT_EQ(s_.states({other}), "R");
  s_.finish(other);
  ASSERT_EQ(::unlink(files_.data(id).c_str()), 0);
  s_.tick();
  EXPECT_EQ(s_.states({id}), "F");
  EXPECT_NE(s_.document(id, "data.fq.files").find("guest.output"), std::string::npos);
}

TEST_F(LostGuest, of_a_directory_with_too_many_entries_some_are_looked_at) {
  // Whoever ends the job holds the lock; what is left out is told.
  const JobId id = s_.submit();
  files_.create_guest(id);
  const std::string own = meeting::own_guest_dir(files_, id);
  make_directory(own);
  const UniqueFd first = open_file(own + "/0", O_WRONLY | O_CREAT);
  for (std::size_t n = 1; n <= meeting::kMaxOwnEntries; ++n)
    ASSERT_EQ(::symlink("0", fmt::format("{}/{}", own, n).c_str()), 0);
  EXPECT_NE(meeting::find_own_guest(files_, id).left_out.find("only 10000 of its names are looked at"),
            std::string::npos);
  s_.finish(id);
}

}  // namespace
}  // namespace fq::test
