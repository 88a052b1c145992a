// What tests of named queues stand on: four nodes, and a configuration to be loaded.

#pragma once

#include <string>

#include <gtest/gtest.h>

#include "manager/jobs/update.h"
#include "manager/look/query.h"
#include "manager/look/why.h"
#include "manager/site/configure.h"
#include "manager/site/queue_admin.h"
#include "support/error_text.h"
#include "support/scenario.h"

namespace fq::test {

// Four nodes with 4 cores each.
class QueuesTest : public testing::Test {
 protected:
  using ConfigSource = document::ConfigSource;
  using JobId = notation::JobId;
  using Verb = manager::QueueRequest::Verb;

  ~QueuesTest() override {
    while (!s.launcher.shells.empty()) s.finish(s.launcher.shells.begin()->first);
  }

  std::string load(const std::string& text, bool force = false) {
    return error_text([&] {
      manager::load_config(s.session, ConfigSource({ConfigSource::File{"fq.toml", text}}), force);
      return 0;
    });
  }
  static std::string spec(const std::string& system, std::uint32_t slots = 1) {
    return Scenario::jobspec(slots, 1, system);
  }
  static std::string in(const std::string& queue) { return fmt::format(R"("queue":"{}")", queue); }
  std::string refusal(const std::string& system, std::uint32_t slots = 1) {
    return error_text([&] { return s.submit(spec(system, slots)); });
  }
  // The context of the job's jobspec-update events.
  std::string updates(JobId id) {
    std::string out;
    for (const document::Event& event : document::decode_eventlog(s.document(id, "eventlog"))) {
      if (event.name == "jobspec-update") out += (out.empty() ? "" : " ") + event.context.dump();
    }
    return out;
  }
  std::string update(JobId id, const std::string& what) {
    manager::UpdateRequest request;
    request.ids = {id};
    request.updates = what;
    const auto reply = manager::update_jobs(s.session, request);
    return reply.refusals.empty() ? "" : reply.refusals.at(0).why.what();
  }
  std::string why(JobId id) {
    std::string out;
    manager::query(s.session, [&](const store::Reader& reader) {
      out.clear();
      for (const manager::Reason& reason : manager::why(reader, s.session, id))
        out += (out.empty() ? "" : "; ") + reason.text;
    });
    return out;
  }
  void set(Verb verb, const std::string& queue, const std::string& reason = {}) {
    static_cast<void>(manager::set_queue(s.session, {verb, queue, reason}));
  }

  Scenario s{4, 4};
};

inline constexpr const char* kBatchAndDebug = R"(
[policy]
jobspec.defaults.system = { queue = "batch", duration = "1h" }
[queues.batch]
hosts = "node[0-2]"
[queues.debug]
requires = { hostlist = ["node[2-3]"] }
policy.jobspec.defaults.system.duration = "10m"
)";

}  // namespace fq::test
