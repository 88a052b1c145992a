// The pass is a function: each queue is asked for by its own scheduler, in the one order, of one pool.

#include "sched/pass.h"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"
#include "sched/support.h"

namespace fq::sched {
namespace {

using notation::JobId;
using test::FakeManager;
using test::nodes;
using test::slots;

// Requests in their order; those of a queue are one class.
class ListedRequests final : public PendingRequests {
 public:
  void add(std::uint64_t id, const std::string& queue, AllocRequest request) {
    request.id = {id};
    request.queue = queue;
    requests_.push_back(std::move(request));
  }
  std::optional<AllocRequest> next() override {
    while (at_ < requests_.size() && left_out_.contains(requests_[at_].queue)) ++at_;
    if (at_ == requests_.size()) return std::nullopt;
    last_ = requests_[at_].queue;
    ++read;
    return requests_[at_++];
  }
  const std::string& served_by() const override { return last_; }
  News news() override { return std::exchange(coming[read], {}); }
  void skip_class() override { left_out_.insert(last_); }
  void skip_queue() override { left_out_.insert(last_); }

  int read = 0;
  std::map<int, News> coming;  ///< by how many were read

 private:
  std::vector<AllocRequest> requests_;
  std::size_t at_ = 0;
  std::string last_;
  std::set<std::string> left_out_;
};

// Answers as it is told, by id; without an answer a request stays outstanding.
class Told final : public Scheduler {
 public:
  std::string_view name() const override { return "told"; }
  void hello(JobManager&, double) override {
    if (fails_at == "hello") throw Error{Kind::unavailable, "gone"};
  }
  Ready ready() override { return window; }
  std::vector<AllocReply> alloc(const AllocRequest& request) override {
    said.push_back(fmt::format("alloc {}", request.id.value));
    if (fails_at == said.back()) throw Error{Kind::unavailable, "gone"};
    const auto found = answers.find(request.id.value);
    return found == answers.end() ? std::vector<AllocReply>{} : found->second;
  }
  std::vector<AllocReply> cancel(JobId id) override {
    said.push_back(fmt::format("cancel {}", id.value));
    AllocReply canceled;
    canceled.id = id;
    canceled.type = AllocType::cancel;
    return {canceled};
  }
  std::vector<AllocReply> prioritize(std::span<const std::pair<JobId, std::uint32_t>> jobs) override {
    for (const auto& [id, priority] : jobs) said.push_back(fmt::format("{} at {}", id.value, priority));
    return {};
  }
  ExpirationReply expiration(JobId, double) override { return {}; }
  std::vector<AllocReply> free(JobId, const document::ResourceSet&, bool) override { return {}; }
  std::vector<AllocReply> finish() override {
    said.emplace_back("finish");
    return last_replies;
  }

  Ready window{Ready::Mode::unlimited, 0};
  std::string fails_at;
  std::map<std::uint64_t, std::vector<AllocReply>> answers;
  std::vector<AllocReply> last_replies;
  std::vector<std::string> said;
};

AllocReply reply(std::uint64_t id, AllocType type, bool passed_over = false) {
  AllocReply made;
  made.id = {id};
  made.type = type;
  made.passed_over = passed_over;
  if (type == AllocType::annotate) made.annotations = "{}";
  if (type == AllocType::success) made.R = test::parts("0:0");
  return made;
}

std::string shown(const PassResult& result) {
  std::string text;
  for (const AllocReply& each : result.decisions) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", each.id.value, static_cast<int>(each.type));
    if (each.R) text += " " + each.R->summary();
  }
  for (const Suspension& each : result.suspensions) text += fmt::format("; {}: {}", each.queue, each.reason);
  return text + (result.complete ? "" : "; more");
}

std::unique_ptr<Scheduler> fcfs(const std::string&) {
  return test::scheduler("fcfs");
}

TEST(Pass, R33_1_a_head_that_cannot_start_holds_back_its_own_queue_alone) {
  // Both take from one pool what they give, in the order of the requests.
  FakeManager manager({{4, 0}});
  ListedRequests pending;
  pending.add(1, "a", slots(3));
  pending.add(2, "a", slots(2));
  pending.add(3, "a", slots(1));
  pending.add(4, "b", slots(1));
  pending.add(5, "b", slots(1));
  EXPECT_EQ(shown(run_pass(pending, fcfs, manager, test::kNow, 100)),
            "1 0 rank0/core[0-2]; 2 1; 4 0 rank0/core3; 5 1");
  EXPECT_EQ(manager.pool().taken().cores, 4U);
  EXPECT_EQ(pending.read, 5);
}

TEST(Pass, what_waits_for_nodes_to_come_back_is_passed_over_with_its_class) {
  // The request is canceled to make room; a denied one makes room by itself.
  FakeManager manager({{4, 0}, {4, 0}});
  manager.pool().set_down({1});
  ListedRequests pending;
  pending.add(1, "a", nodes(2));
  pending.add(2, "a", nodes(3));
  pending.add(3, "b", nodes(3));
  pending.add(4, "b", slots(1));
  EXPECT_EQ(shown(run_pass(pending, fcfs, manager, test::kNow, 100)), "1 1; 3 2; 4 0 rank0/core0");
}

TEST(Pass, starts_no_more_than_it_may) {
  // What is left is another pass's.
  for (const auto& [most, expected] : {std::pair{0U, "; more"},
                                       {2U, "1 0 rank0/core0; 2 0 rank0/core1; more"},
                                       {9U, "1 0 rank0/core0; 2 0 rank0/core1; 3 0 rank0/core2"}}) {
    FakeManager manager({{4, 0}});
    ListedRequests pending;
    for (const std::uint64_t id : {1, 2, 3}) pending.add(id, "", slots(1));
    EXPECT_EQ(shown(run_pass(pending, fcfs, manager, test::kNow, most)), expected);
  }
}

// Runs a pass with a scheduler that is told what to say, for queue `a`, and fcfs for all others.
PassResult run_told(ListedRequests& pending, FakeManager& manager, Told& told,
                    std::size_t most_starts = 100) {
  struct Borrowed final : Scheduler {
    explicit Borrowed(Told& to) : told(to) {}
    std::string_view name() const override { return told.name(); }
    void hello(JobManager& m, double now) override { told.hello(m, now); }
    Ready ready() override { return told.ready(); }
    std::vector<AllocReply> alloc(const AllocRequest& request) override { return told.alloc(request); }
    std::vector<AllocReply> cancel(JobId id) override { return told.cancel(id); }
    std::vector<AllocReply> prioritize(std::span<const std::pair<JobId, std::uint32_t>> jobs) override {
      return told.prioritize(jobs);
    }
    ExpirationReply expiration(JobId id, double end) override { return told.expiration(id, end); }
    std::vector<AllocReply> free(JobId id, const document::ResourceSet& r, bool final) override {
      return told.free(id, r, final);
    }
    std::vector<AllocReply> finish() override { return told.finish(); }
    Told& told;
  };
  const auto make = [&](const std::string& queue) -> std::unique_ptr<Scheduler> {
    if (queue == "a") return std::make_unique<Borrowed>(told);
    return test::scheduler("fcfs");
  };
  return run_pass(pending, make, manager, test::kNow, most_starts);
}

TEST(Pass, R27_11_an_unlimited_scheduler_is_sent_every_request) {
  // Its replies may come in any order, the last when the pass is over; one for no request is ignored.
  FakeManager manager({{4, 0}});
  ListedRequests pending;
  for (const std::uint64_t id : {1, 2, 3}) pending.add(id, "a", slots(1));
  Told told;
  told.answers[3] = {reply(1, AllocType::annotate), reply(7, AllocType::success)};
  told.last_replies = {reply(2, AllocType::success), reply(2, AllocType::success)};
  EXPECT_EQ(shown(run_told(pending, manager, told)), "1 1; 2 0 rank0/core0");
  EXPECT_EQ(fmt::format("{}", fmt::join(told.said, ", ")), "alloc 1, alloc 2, alloc 3, finish");
}

TEST(Pass, R27_34_R27_36_a_scheduler_is_told_of_requests_that_are_withdrawn_while_they_are_out) {
  // Of its own alone, and of none that it has answered for good.
  FakeManager manager({{4, 0}});
  ListedRequests pending;
  for (const std::uint64_t id : {1, 2, 3}) pending.add(id, "a", slots(1));
  pending.add(4, "b", slots(1));
  pending.coming[3] = {{{1}, {2}, {7}}, {{{3}, 31}}};
  Told told;
  told.answers[1] = {reply(1, AllocType::deny)};
  EXPECT_EQ(shown(run_told(pending, manager, told)), "1 2; 4 0 rank0/core0");
  EXPECT_EQ(fmt::format("{}", fmt::join(told.said, ", ")),
            "alloc 1, alloc 2, alloc 3, cancel 2, 3 at 31, finish");
}

TEST(Pass, R27_51_a_limited_scheduler_has_no_more_outstanding_than_it_said) {
  // A full window ends its queue's pass; one that was passed over is canceled to make room.
  FakeManager manager({{4, 0}});
  ListedRequests pending;
  for (const std::uint64_t id : {1, 2, 3}) pending.add(id, "a", slots(1));
  Told told;
  told.window = {Ready::Mode::limited, 2};
  EXPECT_EQ(shown(run_told(pending, manager, told)), "");
  EXPECT_EQ(fmt::format("{}", fmt::join(told.said, ", ")), "alloc 1, alloc 2, finish");
}

RC_GTEST_PROP(Pass, R27_51_with_any_limit_and_any_answers_no_more_are_outstanding, ()) {
  // Whatever was answered at once, later with another, or never; and what could be asked for, was.
  const auto limit = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto wanted = *rc::gen::inRange<std::uint64_t>(0, 30);
  FakeManager manager({{64, 0}});
  ListedRequests pending;
  Told told;
  told.window = {Ready::Mode::limited, limit};
  std::set<std::uint64_t> out;
  std::uint64_t asked = 0;
  for (std::uint64_t id = 1; id <= wanted; ++id) pending.add(id, "a", slots(1));
  for (std::uint64_t id = 1; id <= wanted && out.size() < limit; ++id) {
    asked = id;
    out.insert(id);
    auto& answers = told.answers[id];
    for (const std::uint64_t each : std::set(out)) {
      if (*rc::gen::inRange(0, 3) > 0) continue;
      const auto type = *rc::gen::element(AllocType::success, AllocType::deny, AllocType::annotate);
      answers.push_back(reply(each, type));
      if (type != AllocType::annotate) out.erase(each);
    }
  }
  static_cast<void>(run_told(pending, manager, told));
  std::vector<std::string> expected;
  for (std::uint64_t id = 1; id <= asked; ++id) expected.push_back(fmt::format("alloc {}", id));
  if (asked > 0) expected.emplace_back("finish");
  RC_ASSERT(told.said == expected);
}

TEST(Pass, R27_48_of_a_million_requests_a_pass_takes_those_it_starts_and_a_window) {
  // However many wait, and though each is a class of its own.
  class Million final : public PendingRequests {
   public:
    std::optional<AllocRequest> next() override {
      if (read == 1'000'000) return std::nullopt;
      AllocRequest request = slots(1);
      request.id = {++read};
      return request;
    }
    const std::string& served_by() const override { return queue_; }
    void skip_class() override {}
    void skip_queue() override { over_ = read, read = 1'000'000; }
    [[nodiscard]] std::uint64_t taken() const { return over_; }

    std::uint64_t read = 0;

   private:
    std::uint64_t over_ = 0;
    std::string queue_;
  };
  FakeManager manager({{100, 0}});
  Million pending;
  const auto easy = [](const std::string&) { return test::scheduler("easy"); };
  const PassResult result = run_pass(pending, easy, manager, test::kNow, 1000);
  EXPECT_EQ(manager.pool().taken().cores, 100U);
  EXPECT_EQ(result.decisions.size(), 101U) << "those that start, and the first that waits";
  EXPECT_EQ(pending.taken(), 100U + 256 + 1);
}

TEST(Pass, R27_47_what_is_granted_to_a_request_that_was_taken_back_is_not_carried_out) {
  // Its CANCEL has ended it, as when its job has ended; the scheduler grants it all the same.
  FakeManager manager({{4, 0}});
  ListedRequests pending;
  pending.add(1, "a", slots(1));
  Told told;
  told.answers[1] = {reply(1, AllocType::cancel), reply(1, AllocType::success)};
  told.last_replies = {reply(1, AllocType::success)};
  EXPECT_EQ(shown(run_told(pending, manager, told)), "");
}

TEST(Pass, what_is_outstanding_may_start_beyond_the_most) {
  // Nothing more is asked for then, and another pass is due.
  FakeManager manager({{4, 0}});
  ListedRequests pending;
  for (const std::uint64_t id : {1, 2, 3, 4}) pending.add(id, "a", slots(1));
  Told told;
  told.answers[2] = {reply(1, AllocType::success), reply(2, AllocType::success)};
  EXPECT_EQ(shown(run_told(pending, manager, told, 1)), "1 0 rank0/core0; 2 0 rank0/core0; more");
  EXPECT_EQ(fmt::format("{}", fmt::join(told.said, ", ")), "alloc 1, alloc 2, finish");
}

TEST(Pass, what_a_scheduler_throws_suspends_its_queue_and_nothing_else) {
  // Its decisions before that stand; it is asked nothing more.
  for (const auto& [fails_at, expected, said] :
       {std::tuple{"alloc 2", "1 0 rank0/core0; 4 0 rank0/core[0-1]; a: gone", "alloc 1, alloc 2"},
        {"hello", "4 0 rank0/core[0-1]; a: gone", ""}}) {
    FakeManager manager({{4, 0}});
    ListedRequests pending;
    for (const std::uint64_t id : {1, 2, 3}) pending.add(id, "a", slots(1));
    pending.add(4, "b", slots(2));
    Told told;
    told.fails_at = fails_at;
    told.answers[1] = {reply(1, AllocType::success)};
    EXPECT_EQ(shown(run_told(pending, manager, told)), expected);
    EXPECT_EQ(fmt::format("{}", fmt::join(told.said, ", ")), said);
  }
}

}  // namespace
}  // namespace fq::sched
