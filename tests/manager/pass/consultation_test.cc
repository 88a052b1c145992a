// Schedulers that are programs are asked without the lock; what they decide is carried out as far as it holds
// by then. Programs wait on FIFOs, so that tests say what comes in between.

#include "manager/pass/consultation.h"

#include <fstream>
#include <thread>

#include <sys/stat.h>

#include "manager/core/queues_fixture.h"
#include "manager/jobs/urgency.h"
#include "manager/pass/consultation_due.h"
#include "manager/pass/stored_reservations.h"
#include "records/instance.h"
#include "support/test_data.h"

namespace fq::manager {
namespace {

using test::QueuesTest;
using test::TempDirectory;

// Queues a and b share four nodes with four cores each; that of a is served by a program.
class Consultation : public QueuesTest {
 protected:
  Consultation() {
    for (const char* name : {"began", "go"}) EXPECT_EQ(::mkfifo(path(name).c_str(), 0600), 0);
    write("easy", "exec '" + test_data("../../examples/schedulers/easy.py") + "'");
    // The first time it waits until it is let.
    write("gated", "if mkdir once; then echo >began; read word <go; fi 2>/dev/null; exec ./easy");
    serve("gated");
  }

  std::string path(const std::string& name) const { return directory_.path() + "/" + name; }
  void write(const std::string& name, const std::string& script) const {
    std::ofstream(path(name)) << "#!/bin/sh\ncd '" << directory_.path() << "'\n" << script << '\n';
    EXPECT_EQ(::chmod(path(name).c_str(), 0700), 0);
  }
  void serve(const std::string& program, const std::string& more = {}) {
    const std::string loaded =
        load(fmt::format("policy.jobspec.defaults.system.queue = 'a'\n[queues.a]\n"
                         "policy.scheduler.command = ['{}']\n{}[queues.b]\n",
                         path(program), more));
    EXPECT_EQ(loaded, "no error");
  }
  void consult() { consult_schedulers(s.session); }
  /// Consults, and does that after what is stored was read, while the program is asked.
  template <typename Meanwhile>
  void consult(const Meanwhile& meanwhile) {
    std::thread other([&] { consult(); });
    std::string line;
    std::getline(std::ifstream(path("began")), line);
    meanwhile();
    std::ofstream(path("go")) << "go\n";
    other.join();
  }
  JobId in_a(std::uint32_t slots = 1) { return s.submit(spec(in("a"), slots)); }
  JobId in_b(std::uint32_t slots = 1) { return s.submit(spec(in("b"), slots)); }
  bool is_due() {
    bool due = false;
    query(s.session, [&](const store::Reader& reader) { due = consultation_due(reader).has_value(); });
    return due;
  }
  std::string suspended(const std::string& queue = "a") {
    std::string why;
    query(s.session, [&](const store::Reader& reader) {
      records::Queues queues(reader);
      why = queues.state(queue).suspended;
    });
    return why;
  }

  TempDirectory directory_;
};

TEST_F(Consultation, a_command_only_notes_that_the_program_is_to_be_asked) {
  // It starts who does; built-in schedulers start jobs at once, as ever.
  const JobId a = in_a(), b = in_b();
  EXPECT_EQ(s.states({a, b}), "S R");
  EXPECT_EQ(s.launcher.consultations, 2U);
  EXPECT_EQ(why(a), "it is the next job in the queue; the scheduler of its queue, a program, is being asked");
  query(s.session, [&](const store::Reader& reader) {
    EXPECT_TRUE(queue_status(reader, "a").at(0).asked_for_s.has_value());
    EXPECT_FALSE(queue_status(reader, "b").at(0).asked_for_s.has_value());
  });
  write("gated", "exec ./easy");
  consult();
  EXPECT_EQ(s.states({a, b}), "R R");
  EXPECT_FALSE(is_due());
}

TEST_F(Consultation, a_submission_goes_through_while_the_program_hangs) {
  // It is asked again for that job, and then for nothing more.
  const JobId first = in_a();
  JobId second;
  consult([&] {
    second = in_a();
    EXPECT_EQ(s.states({first, second}), "S S");
  });
  EXPECT_EQ(s.states({first, second}), "R R");
  EXPECT_FALSE(is_due());
}

TEST_F(Consultation, queues_of_lower_tiers_wait_until_it_has_been_asked) {
  // They would have what is free before it; what was said of their jobs, and reserved for them, stays.
  write("gated", "exec ./easy");
  serve("gated", "policy.scheduler.tier = 1\n");
  const JobId large = in_b(16), waits = in_b(16);
  const auto reserved = [&] {
    std::string text;
    query(s.session, [&](const store::Reader& reader) {
      text.clear();
      for (const sched::Reservation& each :
           read_reservations(reader, document::ResourceSet::parse(records::read_inventory(reader))))
        text += fmt::format("{}{}", each.id, find_listed(reader, each.id).reason_pending.value_or(""));
    });
    return text;
  };
  const std::string before = reserved();
  EXPECT_NE(before, "");
  const JobId first = in_a(16);
  EXPECT_EQ(reserved(), before);
  s.cancel(waits);
  s.finish(large);
  const JobId behind = in_b();
  EXPECT_EQ(s.states({first, behind}), "S S");
  consult();
  EXPECT_EQ(s.states({first, behind}), "R S");
  s.finish(first);
  EXPECT_EQ(s.states({behind}), "R");
}

TEST_F(Consultation, what_changes_meanwhile_is_not_carried_out) {
  // Canceled, held, moved, asking for something else: no fault of the program's.
  const JobId canceled = in_a(), held = in_a(), moved = in_a(), changed = in_a(9), other = in_a();
  consult([&] {
    s.cancel(canceled);
    ASSERT_TRUE(set_urgency(s.session, {{held}, 0}).refusals.empty());
    EXPECT_EQ(update(moved, R"({"attributes.system.queue":"b"})"), "");
    EXPECT_EQ(update(changed, R"({"attributes.system.duration":60})"), "");
    EXPECT_EQ(s.states({canceled, held, moved, changed, other}), "CA S R S S");
  });
  EXPECT_EQ(s.states({canceled, held, moved, changed, other}), "CA S R R R");
  EXPECT_EQ(suspended() + (is_due() ? "due" : ""), "");
  EXPECT_EQ(s.job(changed).duration, 60);
  s.cancel(held);
}

TEST_F(Consultation, what_another_queue_took_meanwhile_is_not_given_twice) {
  // It waits, and starts once that is free; the queue is not suspended.
  const JobId a = in_a(16);
  JobId b;
  consult([&] { b = in_b(2); });
  EXPECT_EQ(s.states({a, b}) + suspended(), "S R");
  s.finish(b);
  EXPECT_TRUE(is_due());
  consult();
  EXPECT_EQ(s.states({a, b}), "R CD");
}

TEST_F(Consultation, a_failure_suspends_the_queue_unless_another_program_serves_it_by_then) {
  write("gated", "if mkdir once; then echo >began; read word <go; fi 2>/dev/null; exit 3");
  const JobId job = in_a();
  consult([&] { serve("easy"); });
  EXPECT_EQ(s.states({job}) + suspended(), "R");
  serve("gated");
  const JobId next = in_a();
  consult();
  EXPECT_EQ(s.states({next}) + ": " + suspended(), "S: it exited with 3 before job-manager.sched-hello");
  EXPECT_FALSE(is_due());
  set(Verb::start, "a");
  EXPECT_EQ(suspended() + (is_due() ? "due" : ""), "due");
  s.cancel(next);
}

TEST_F(Consultation, what_changes_nothing_asks_nobody) {
  // Nor does what a limit holds back, again and again.
  write("gated", "echo x >>asked; exec ./easy");
  serve("gated", "policy.limits.per-association = { max-running-jobs = 1 }\n");
  const JobId runs = in_a(), limited = in_a();
  consult();
  const JobId large = in_b(16);
  consult();
  EXPECT_EQ(s.states({runs, limited, large}), "R S S");
  s.tick();
  EXPECT_FALSE(is_due());
  consult();
  const auto asked = [&] {
    std::ifstream file(path("asked"));
    return std::count(std::istreambuf_iterator<char>(file), {}, 'x');
  };
  EXPECT_EQ(asked(), 1);
  s.cancel(large);
  consult();
  EXPECT_FALSE(is_due());
  s.finish(runs);
  consult();
  EXPECT_EQ(s.states({limited}), "R");
}

TEST_F(Consultation, the_program_is_told_of_what_is_withdrawn_while_it_is_asked) {
  // Of jobs that wait for an answer; and of those whose urgency is another one.
  write("gated", R"sh(
say() { echo "{\"topic\":\"$1\",\"payload\":$2}"; }
say resource.acquire {}; read -r line
say job-manager.sched-hello {}; read -r line
say job-manager.sched-ready '{"mode":"unlimited"}'; read -r line
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[,\}]*}
  case $line in
  *sched.alloc*) echo "alloc $id" >>said; first=${first:-$id}
    if [ "$(wc -l <said)" = 3 ]; then
      echo >began
      until [ -e went ]; do say sched.alloc "{\"id\":$first,\"type\":1,\"annotations\":{}}"; sleep 0.01; done
    fi
    say sched.alloc "{\"id\":$id,\"type\":1,\"annotations\":{}}" ;;
  *sched.cancel*) echo "cancel $id" >>said; say sched.alloc "{\"id\":$id,\"type\":3}" ;;
  *) echo "$line" >>said ;;
  esac
done)sh");
  const JobId canceled = in_a(), lowered = in_a(2), third = in_a(3), last = in_a(4);
  std::thread other([&] { consult_schedulers(s.session); });
  std::string line;
  std::getline(std::ifstream(path("began")), line);
  s.cancel(canceled);
  ASSERT_TRUE(set_urgency(s.session, {{lowered}, 3}).refusals.empty());
  std::ofstream(path("went")) << '\n';
  other.join();
  std::ifstream file(path("said"));
  const std::string said(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(said.substr(0, said.find(fmt::format("alloc {}\n", last.value))),
            fmt::format("alloc {}\nalloc {}\nalloc {}\ncancel {}\n"
                        "{{\"payload\":{{\"jobs\":[[{},3]]}},\"topic\":\"sched.prioritize\"}}\n",
                        canceled.value, lowered.value, third.value, canceled.value, lowered.value));
  for (const JobId id : {lowered, third, last}) s.cancel(id);
}

TEST_F(Consultation, a_new_end_of_a_running_job_is_asked_for_without_the_lock) {
  write("gated", "exec ./easy");
  const JobId job = s.submit(spec(in("a") + R"(,"duration":60)"));
  consult();
  ASSERT_EQ(s.states({job}), "R");
  write("gated", "if mkdir once; then echo >began; read word <go; fi 2>/dev/null; exec ./easy");
  const double before = s.job(job).expiration;
  std::string refused = "nothing said";
  JobId meanwhile;
  std::thread other([&] { refused = update(job, R"({"attributes.system.duration":120})"); });
  std::string line;
  std::getline(std::ifstream(path("began")), line);
  meanwhile = in_b();
  std::ofstream(path("go")) << "go\n";
  other.join();
  EXPECT_EQ(refused + s.states({meanwhile}), "R");
  EXPECT_EQ(s.job(job).expiration, before + 60);
  write("gated", "exit 3");
  EXPECT_EQ(update(job, R"({"attributes.system.duration":180})"),
            fmt::format("the time limit of job {} cannot be changed: its scheduler failed: it exited with 3 "
                        "before job-manager.sched-hello",
                        job));
}

TEST_F(Consultation, one_process_is_at_it) {
  // Another one leaves it to that, and a command starts none.
  const JobId job = in_a();
  const auto before = s.launcher.consultations;
  consult([&] {
    consult();
    EXPECT_EQ(s.states({job}), "S");
    in_b();
  });
  EXPECT_EQ(s.states({job}), "R");
  EXPECT_EQ(s.launcher.consultations, before);
}

TEST_F(Consultation, what_the_program_said_of_a_job_stays_until_it_is_asked_again) {
  write("gated", "exec ./easy");
  const JobId runs = in_a(16), waits = in_a();
  consult();
  const auto said = [&] {
    std::string text;
    query(s.session, [&](const store::Reader& reader) {
      text = find_listed(reader, waits).reason_pending.value_or("nothing");
    });
    return text;
  };
  EXPECT_EQ(said(), "others come first");
  in_b();
  EXPECT_EQ(said(), "others come first");
  ASSERT_TRUE(set_urgency(s.session, {{waits}, 0}).refusals.empty());
  EXPECT_EQ(said(), "nothing");
  s.cancel(waits);
  s.finish(runs);
}

}  // namespace
}  // namespace fq::manager
