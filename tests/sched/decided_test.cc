// What was decided about an earlier state is carried out as far as it holds.

#include "sched/decided.h"

#include <gtest/gtest.h>

#include "sched/served.h"
#include "support/error_text.h"

namespace fq::sched {
namespace {

using test::FakeManager;
using test::parts;
using test::shown;
using test::slots;

constexpr const char* kDropped =
    R"({"sched":{"reason_pending":"what its scheduler chose is not to be had any more: it is asked again","t_estimate":null}})";

AllocRequest numbered(std::uint64_t id, AllocRequest request) {
  request.id = {id};
  return request;
}

AllocReply answer(std::uint64_t id, AllocType type, const std::string& r = {}) {
  AllocReply made;
  made.id = {id};
  made.type = type;
  if (type == AllocType::annotate) made.annotations = "{}";
  if (!r.empty()) made.R = parts(r);
  return made;
}

// One node of four cores.
class DecidedTest : public testing::Test {
 protected:
  void was_answered(const AllocRequest& request, std::vector<AllocReply> replies) {
    decisions.answered[request.id] = {request, std::move(replies)};
  }
  Decided& decided() {
    if (!decided_) {
      decided_.emplace(
          decisions, [this] { ++dropped; }, [this] { ++missed; });
      decided_->hello(manager, test::kNow);
    }
    return *decided_;
  }
  std::string alloc(const AllocRequest& request) { return shown(decided().alloc(request)); }

  FakeManager manager{{{4, 0}}};
  Decided::Decisions decisions;
  int dropped = 0, missed = 0;

 private:
  std::optional<Decided> decided_;
};

TEST_F(DecidedTest, what_was_answered_is_answered_again) {
  // A grant takes what it gives; what was not sent then has no answer.
  was_answered(numbered(1, slots(2)),
               {answer(1, AllocType::annotate), answer(1, AllocType::success, "0:2-3")});
  was_answered(numbered(2, slots(9)), {answer(2, AllocType::deny)});
  was_answered(numbered(3, slots(1)), {});
  EXPECT_EQ(decided().ready(), (Ready{Ready::Mode::limited, 3}));
  EXPECT_EQ(alloc(numbered(1, slots(2))), "1 1 {}; 1 0 rank0/core[2-3]");
  EXPECT_EQ(manager.pool().taken().cores, 2U);
  EXPECT_EQ(alloc(numbered(2, slots(9))), "2 2");
  EXPECT_EQ(alloc(numbered(3, slots(1))), "");
  EXPECT_EQ(shown(decided().cancel({3})), "3 3");
  EXPECT_EQ(shown(decided().finish()), "");
  EXPECT_EQ(dropped + missed, 0);
}

TEST_F(DecidedTest, a_grant_of_what_is_not_to_be_had_is_dropped) {
  // Taken, down, or kept for another job.
  const AllocRequest one = numbered(1, slots(1));
  for (const std::string why : {"taken", "down", "reserved"}) {
    FakeManager other({{4, 0}, {4, 0}});
    if (why == "taken") other.runs(9, parts("0:0"), 0);
    if (why == "down") other.pool().set_down({0});
    if (why == "reserved") {
      Reservation kept;
      kept.id = {9};
      kept.start = test::kNow;
      kept.R = parts("0:0-3");
      other.keeps({kept});
    }
    Decided::Decisions made;
    made.answered[one.id] = {one, {answer(1, AllocType::success, "0:0")}};
    Decided decided(
        made, [&] { ++dropped; }, [&] { ++missed; });
    decided.hello(other, test::kNow);
    EXPECT_EQ(shown(decided.alloc(one)), fmt::format("1 1 {}", kDropped)) << why;
  }
  EXPECT_EQ(dropped, 3);
}

TEST_F(DecidedTest, what_time_alone_has_brought_or_taken_is_missed) {
  // One that was not sent then takes no place of those that were; of very many not all are looked at.
  was_answered(numbered(1, slots(1)), {answer(1, AllocType::success, "0:0")});
  EXPECT_EQ(alloc(numbered(2, slots(1))), "2 3");
  EXPECT_EQ(missed, 1);
  EXPECT_EQ(shown(decided().finish()), "");
  EXPECT_EQ(missed, 2) << "a grant is left";
  for (std::uint64_t id = 3; id < 258; ++id)
    EXPECT_EQ(alloc(numbered(id, slots(1))), fmt::format("{} 3", id));
  EXPECT_EQ(alloc(numbered(258, slots(1))), "");
  EXPECT_EQ(alloc(numbered(1, slots(1))), "1 0 rank0/core0");
  missed = 0;
  EXPECT_EQ(shown(decided().finish()), "");
  EXPECT_EQ(dropped + missed, 0);
}

TEST_F(DecidedTest, an_answer_to_another_request_of_the_job_is_none) {
  // It asks for something else now; another priority is none.
  AllocRequest asked = numbered(1, slots(1));
  was_answered(asked, {answer(1, AllocType::success, "0:0")});
  was_answered(numbered(2, slots(1)), {answer(2, AllocType::success, "0:1")});
  asked.duration = 60;
  EXPECT_EQ(alloc(asked), "");
  EXPECT_EQ(dropped, 1);
  AllocRequest raised = numbered(2, slots(1));
  raised.priority = 31;
  EXPECT_EQ(alloc(raised), "2 0 rank0/core1");
}

TEST_F(DecidedTest, what_ended_it_comes_after_what_it_had_decided) {
  was_answered(numbered(1, slots(1)), {answer(1, AllocType::success, "0:0")});
  decisions.failure = "it exited with 3";
  EXPECT_EQ(alloc(numbered(1, slots(1))), "1 0 rank0/core0");
  EXPECT_EQ(error_text([&] { return decided().finish().size(); }), "it exited with 3");
}

}  // namespace
}  // namespace fq::sched
