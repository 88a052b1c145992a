// The door of a store in which a queue is an instance of its own: each kind of request goes to the store that
// has what it is about, or to all.

#include "door/routes.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "door/local_door.h"
#include "door/stores.h"
#include "manager/site/configure.h"
#include "manager/site/instances.h"
#include "request/codec.h"
#include "support/scenario.h"

namespace fq::test {
namespace {

constexpr std::string_view kConfig = R"(
policy.jobspec.defaults.system.queue = "batch"
[queues.batch]
[queues.debug]
hosts = "node[2-3]"
instance = true
[queues.quick]
parent = "debug"
)";

class RoutesTest : public testing::Test {
 protected:
  RoutesTest() { load(); }

  void load(std::string_view config = kConfig) {
    static_cast<void>(manager::load_config(
        s.session, document::ConfigSource({{"fq.toml", std::string{config}}}), /*force=*/false));
  }
  [[nodiscard]] door::LocalDoor door() const { return door::LocalDoor(s.session); }
  // Each a second after the one before.
  [[nodiscard]] notation::JobId submit(const std::string& queue) {
    s.clock.advance(1);
    request::JobGroup group;
    group.jobspec =
        request::JobspecTemplate::plain(Scenario::jobspec(1, 1, fmt::format(R"("queue":"{}")", queue)));
    return door().ask(request::SubmitRequest{{group}}).ids.at(0);
  }
  [[nodiscard]] std::string listed(const request::JobListRequest& request) const {
    std::string text;
    request::JobListRows rows;
    rows.begin = [&](request::JobListHead&&) { text.clear(); };
    rows.row = [&](request::ListedJob&& job) {
      text += fmt::format("{}{}", text.empty() ? "" : " ", job.job.queue);
      return true;
    };
    door().ask(request, rows);
    return text;
  }

  Scenario s{4};
};

TEST_F(RoutesTest, every_kind_of_request_has_a_route) {
  // Asked with nothing said, each is answered, or refused in words: none is an internal fault, and none
  // leaves the instance out of the way.
  for (std::size_t kind = 0; kind < request::kKinds; ++kind) {
    const request::RequestKind& of = request::kind_at(kind);
    const auto request = of.decode_request("{}");
    load();
    ASSERT_EQ(door::Stores(s.session).size(), 2U) << of.name;
    try {
      if (of.has_rows) {
        request::RowTexts texts;
        texts.begin = [](std::string_view) {};
        texts.row = [](std::string_view) { return true; };
        const auto rows = of.make_rows(texts);
        door::serve(s.session, kind, request.get(), nullptr, rows.get());
      } else {
        const auto reply = of.make_reply();
        door::serve(s.session, kind, request.get(), reply.get(), nullptr);
      }
    } catch (const Error& refused) {
      EXPECT_NE(refused.kind(), Kind::internal) << of.name << ": " << refused.what();
    }
  }
}

TEST_F(RoutesTest, a_job_is_where_its_queue_is_and_its_id_says_so) {
  const auto ours = submit("batch"), theirs = submit("debug"), virtual_one = submit("quick");
  EXPECT_EQ(manager::instance_number(ours), 0U);
  EXPECT_EQ(manager::instance_number(theirs), 1U);
  EXPECT_EQ(manager::instance_number(virtual_one), 1U);
  EXPECT_LT(ours.value, theirs.value);
  for (const auto& [id, queue] : {std::pair{ours, "batch"}, {theirs, "debug"}, {virtual_one, "quick"}})
    EXPECT_EQ(door().ask(request::FindJobRequest{id}).job.queue, queue);
  EXPECT_EQ(listed({}), "quick debug batch");
  request::JobListRequest one;
  one.filter.queues = std::set<std::string>{"debug"};
  EXPECT_EQ(listed(one), "quick debug");
  one.filter.limit = 1;
  EXPECT_EQ(listed(one), "quick");
  request::JobListRequest named;
  named.ids = {theirs, ours};
  EXPECT_EQ(listed(named), "debug batch");
  EXPECT_EQ(door().ask(request::LastJobsRequest{s.session.caller.uid, 2}).ids,
            (std::vector{virtual_one, theirs}));
  request::RaiseRequest cancel;
  cancel.ids = {theirs, notation::JobId{7}, ours, virtual_one};
  const request::RaiseReply reply = door().ask(cancel);
  EXPECT_EQ(reply.done, (std::vector{theirs, ours, virtual_one}));
  ASSERT_EQ(reply.refusals.size(), 1U);
  EXPECT_EQ(reply.refusals[0].id, notation::JobId{7});
}

TEST_F(RoutesTest, news_of_jobs_of_several_stores_have_their_places) {
  std::vector<notation::JobId> ids{submit("batch"), submit("debug"), submit("batch"), submit("debug")};
  request::WatchRequest watch;
  for (const notation::JobId id : ids) watch.jobs.push_back({id});
  const request::WatchReply first = door().ask(watch);
  ASSERT_EQ(first.news.size(), 4U);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(first.news[i].index, i);
    EXPECT_EQ(first.news[i].job->id, ids[i]);
  }
  EXPECT_TRUE(first.t_submit);
  request::RaiseRequest cancel;
  cancel.ids = ids;
  static_cast<void>(door().ask(cancel));
}

TEST_F(RoutesTest, nodes_are_everybodys_once) {
  const request::ResourceUse use = door().ask(request::ResourceUseRequest{});
  EXPECT_EQ(use.inventory.nodelist(), "node[0-3]");
  EXPECT_TRUE(use.excluded.empty());
  ASSERT_EQ(use.queues.size(), 3U);
  EXPECT_EQ(use.queues[0].ranks.encode(), "0-1");
  EXPECT_EQ(use.queues[1].ranks.encode(), "2-3");
  static_cast<void>(door().ask(request::DrainRequest{"node2", "broken"}));
  EXPECT_EQ(door().ask(request::ResourceUseRequest{}).drains.size(), 1U);
  EXPECT_EQ(s.drained(), "");
  static_cast<void>(door().ask(request::UndrainRequest{"2", false, {}}));
}

TEST_F(RoutesTest, a_store_without_instances_is_asked_at_once) {
  Scenario plain;
  EXPECT_FALSE(exists(plain.session.store + "/instances"));
  EXPECT_EQ(door::Stores(plain.session).size(), 1U);
}

TEST_F(RoutesTest, an_instance_that_is_gone_is_gone_with_its_store) {
  // Its number is not given again: an id means one job.
  load("[queues.batch]\n");
  EXPECT_FALSE(exists(s.session.store + "/instances/debug"));
  EXPECT_EQ(door::Stores(s.session).size(), 1U);
  load();
  const auto id = submit("debug");
  EXPECT_EQ(manager::instance_number(id), 2U);
  request::RaiseRequest cancel;
  cancel.ids = {id};
  static_cast<void>(door().ask(cancel));
}

}  // namespace
}  // namespace fq::test
