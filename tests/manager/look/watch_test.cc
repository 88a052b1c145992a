// What a look at many jobs finds: those that came to run or ended, with the documents that are wanted.

#include "manager/look/watch.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/file.h"
#include "manager/core/change.h"
#include "manager/jobs/finish.h"
#include "manager/run/guest.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

using notation::JobId;

class Watch : public testing::Test {
 protected:
  JobId add(std::uint32_t slots = 1) {
    request.jobs.push_back({s.submit(slots)});
    return request.jobs.back().id;
  }
  // Ends a running job whose guest wrote so much output.
  void finish_with_output(JobId id, std::size_t bytes) {
    const meeting::JobFiles files = s.session.files();
    files.create_guest(id);
    write_file(files.guest(id) + "/output", std::string(bytes, 'x'));
    manager::transact(s.session, [&](manager::Change& change) {
      manager::FinishRequest end{id, s.launcher.shells.at(id).plan.attempt, 0, {}, change.now(), {}};
      end.guest = manager::collect_guest(files, id);
      manager::finish_job(change, end);
    });
    s.launcher.shells.erase(id);
  }
  // Asks as a command does that goes on: `0:R 2:CD`, by the places of jobs in the request.
  std::string look() {
    const manager::WatchReply reply = manager::watch_jobs(s.session, request);
    if (!request.ended_since) request.ended_since = reply.t_submit.value_or(0);
    std::string out;
    for (const manager::WatchNews& news : reply.news) {
      if (!out.empty()) out += ' ';
      out += fmt::format("{}:{}", news.index, news.job ? job::status_abbreviation(*news.job) : "gone");
      if (!news.job || news.job->state != job::State::inactive) continue;
      request.ended_since = std::max(*request.ended_since, news.job->t_inactive);
      request.jobs[news.index].is_over = true;
    }
    return out;
  }

  Scenario s;
  manager::WatchRequest request;
};

TEST_F(Watch, what_runs_or_has_ended_is_news_and_an_end_is_news_once) {
  // Jobs that wait, and jobs that nobody watches, are none; those that run come first.
  const JobId first = add(2), second = add(2), waiting = add(4);
  const JobId other = s.submit(1);
  EXPECT_EQ(look(), "0:R 1:R");
  s.clock.advance(1);
  s.finish(second);
  EXPECT_EQ(look(), "0:R 1:CD");
  EXPECT_EQ(look(), "0:R");
  s.clock.advance(1);
  s.finish(first, 256);
  EXPECT_EQ(look(), "2:R 0:F");
  s.cancel(other);
  s.finish(waiting);
  EXPECT_EQ(look(), "2:CD");
  EXPECT_EQ(look(), "");
}

TEST_F(Watch, all_are_looked_at_where_that_is_asked) {
  // In the order of the request, pending ones too.
  add(4);
  add(4);
  request.all = true;
  EXPECT_EQ(look(), "0:R 1:S");
}

TEST_F(Watch, the_first_reply_says_when_the_first_job_was_submitted) {
  const double t_submit = s.clock.now();
  add();
  EXPECT_EQ(manager::watch_jobs(s.session, request).t_submit, t_submit);
  request.ended_since = t_submit;
  EXPECT_EQ(manager::watch_jobs(s.session, request).t_submit, std::nullopt);
}

TEST_F(Watch, documents_come_where_they_are_wanted_and_logs_of_the_guest_once_it_has_ended) {
  // Small ones as they are; of a large one it is said that it is a file.
  const auto documents = [&](std::size_t index) {
    for (const manager::WatchNews& news : manager::watch_jobs(s.session, request).news) {
      if (news.index != index) continue;
      return fmt::format("eventlog {}, output {}{}, exec {}", news.eventlog ? "yes" : "no",
                         news.output.value.value_or("no"), news.output.is_file ? " (a file)" : "",
                         news.exec.value.value_or("no"));
    }
    return std::string{"no news"};
  };
  const JobId small = add(), large = add(), unwanted = add();
  for (const std::size_t index : {0, 1}) {
    request.jobs[index].eventlog = true;
    request.jobs[index].output = true;
  }
  EXPECT_EQ(documents(0), "eventlog yes, output no, exec no");
  finish_with_output(small, 3);
  finish_with_output(large, manager::kMaxImportBytes + 1);
  finish_with_output(unwanted, 3);
  EXPECT_EQ(documents(0), "eventlog yes, output xxx, exec no");
  EXPECT_EQ(documents(1), "eventlog yes, output no (a file), exec no");
  EXPECT_EQ(documents(2), "eventlog no, output no, exec no");
}

TEST_F(Watch, a_job_whose_shell_was_killed_is_repaired_before) {
  // Its shell died before any task: it gets another one, which a second look would show as well.
  s.kill_shell(add());
  EXPECT_EQ(manager::watch_jobs(s.session, request).news.at(0).job.value().attempt, 2U);
}

}  // namespace
}  // namespace fq::test
