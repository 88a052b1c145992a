// A scheduler behind a channel that says what a test has it say.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "sched/external.h"
#include "sched/support.h"

namespace fq::sched::test {

using notation::JobId;

inline constexpr const char* kJobspec =
    R"({"version":1,"resources":[{"type":"slot","count":1,"label":"task","with":[{"type":"core","count":1}]}],)"
    R"("tasks":[{"command":["true"],"slot":"task","count":{"per_slot":1}}],)"
    R"("attributes":{"system":{"duration":0,"environment":{"A":"b"}}}})";

/// Says its lines in order.
struct Script {
  std::deque<std::string> says;
  std::vector<std::string> sent;
  bool closed = false;
  std::string ended, complaint;
};

class FakeChannel final : public Channel {
 public:
  explicit FakeChannel(Script& script) : script_(script) {}
  void send_line(std::string_view line) override { script_.sent.emplace_back(line); }
  std::optional<std::string> receive_line(double silence_s) override {
    if (script_.says.empty()) {
      if (script_.closed || !script_.ended.empty()) return std::nullopt;
      throw error(Kind::timeout, "it says nothing for {} s", silence_s);
    }
    std::string line = script_.says.front();
    script_.says.pop_front();
    return line;
  }
  void close_input() override { script_.closed = true; }
  std::string how_it_ended(double) override { return script_.ended; }
  std::string last_complaint() override { return script_.complaint; }

 private:
  Script& script_;
};

/// Two nodes of four cores; job 7 holds a core of the first.
class Host final : public JobManager {
 public:
  Host() : fake({{4, 0}, {4, 0}}) { fake.runs(7, parts("0:0"), 0); }
  Pool& pool() override { return fake.pool(); }
  Timeline& timeline() override { return fake.timeline(); }
  void for_each_job(const std::function<void(const HelloJob&)>& visit) const override {
    visit({{7}, 16, 1000, 12.5, parts("0:0")});
  }
  std::string jobspec(JobId) const override { return kJobspec; }

  FakeManager fake;
};

inline const std::vector<std::string> kHandshake{
    R"({"topic":"resource.acquire"})", R"({"topic":"job-manager.sched-hello","payload":{}})",
    R"({"topic":"job-manager.sched-ready","payload":{"mode":"unlimited"}})"};

inline std::string alloc_answer(const std::string& payload) {
  return R"({"topic":"sched.alloc","payload":)" + payload + "}";
}
inline std::string granted(std::uint64_t id, const document::ResourceSet& r) {
  return alloc_answer(fmt::format(R"({{"id":{},"type":0,"R":{}}})", id, r.encode()));
}

/// One that has not said hello yet, and what it is made to say.
class ExternalTest : public testing::Test {
 protected:
  void greet(std::vector<std::string> lines = kHandshake) {
    script.says.assign(lines.begin(), lines.end());
    scheduler.hello(host, kNow);
    script.sent.clear();
  }
  AllocRequest request(std::uint64_t id, AllocRequest shape = slots(1)) {
    shape.id = {id};
    return shape;
  }
  /// What a call throws; empty where it does not.
  template <typename Call>
  std::string fault(const Call& call) {
    try {
      call();
    } catch (const Error& failure) {
      return failure.what();
    }
    return {};
  }
  std::string answered_with(const std::string& line, AllocRequest asked = slots(1)) {
    script.says = {line};
    return fault([&] { static_cast<void>(scheduler.alloc(request(1, std::move(asked)))); });
  }

  Host host;
  Script script;
  External scheduler{std::make_unique<FakeChannel>(script), {.queue_depth = 5, .most = std::nullopt}};
};

}  // namespace fq::sched::test
