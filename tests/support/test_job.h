// A job's documents, as tests of what runs jobs vary them.

#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

namespace fq {

/// A job's description, as a test varies it.
struct TestJob {
  std::vector<std::string> command{"true"};
  nlohmann::json options = nlohmann::json::object();
  nlohmann::json environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  std::string cwd = "/";                             ///< empty: none
  nlohmann::json system = nlohmann::json::object();  ///< more of attributes.system
  std::uint32_t nslots = 1;
  nlohmann::json total = nullptr;
  nlohmann::json R_lite = nlohmann::json::array({{{"rank", "0"}, {"children", {{"core", "0"}}}}});
  std::string nodelist = "node0";
  std::uint32_t nnodes = 1;
  double time_limit = 0;  ///< seconds from now; 0: none
  double clock_step = 0;  ///< seconds by which the store's time is ahead of the clock
  double kill_grace_s = 30;
  int term_signal = SIGTERM;
  int kill_signal = SIGKILL;
  std::uint32_t max_kill_count = 0;
  std::uint32_t attempt = 1;
  std::uint32_t userid = ::getuid();

  static TestJob shell(const std::string& script) {
    TestJob job;
    job.command = {"sh", "-c", script};
    return job;
  }

  [[nodiscard]] std::string jobspec() const {
    nlohmann::json slot = {{"type", "slot"},
                           {"count", nslots},
                           {"label", "task"},
                           {"with", nlohmann::json::array({{{"type", "core"}, {"count", 1}}})}};
    nlohmann::json count =
        total.is_null() ? nlohmann::json{{"per_slot", 1}} : nlohmann::json{{"total", total}};
    nlohmann::json attributes = system;
    attributes["duration"] = 0;
    if (!cwd.empty()) attributes["cwd"] = cwd;
    attributes["environment"] = environment;
    attributes["shell"] = {{"options", options}};
    const nlohmann::json document = {
        {"version", 1},
        {"resources", nlohmann::json::array({slot})},
        {"tasks", nlohmann::json::array({{{"command", command}, {"slot", "task"}, {"count", count}}})},
        {"attributes", {{"system", attributes}}}};
    return document.dump();
  }
  [[nodiscard]] std::string R() const {
    return nlohmann::json{
        {"version", 1},
        {"execution",
         {{"R_lite", R_lite}, {"nodelist", nlohmann::json::array({nodelist})}, {"nslots", nslots}}}}
        .dump();
  }
};

}  // namespace fq
