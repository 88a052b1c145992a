// A store's side of a job for tests of a shell in two halves, without a store.
//
//   keeper_tool jobspec NTASKS OPTIONS SCRIPT      a jobspec; OPTIONS: shell options as JSON
//   keeper_tool run DIR ID STORE J SECONDS GRACE   keeps the job of the signed request in the file J; a time
//   limit of so
//                                                  many seconds (0: none). Tells what came of it
//   keeper_tool order DIR ID LINE                  an order to its keeper
//   keeper_tool leftovers DIR ID                   ends what is left of a job whose keeper is gone

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "document/event/eventlog.h"
#include "document/event/output.h"
#include "meeting/control.h"
#include "meeting/launch.h"
#include "meeting/leftovers.h"
#include "meeting/liveness.h"
#include "shell/shell.h"
#include "signature/keys.h"
#include "support/test_job.h"

namespace {

using namespace fq;

std::string payload_of(const std::string& J) {
  const std::size_t first = J.find('.') + 1;
  return signature::from_base64(J.substr(first, J.find('.', first) - first));
}

nlohmann::json R_lite_for(std::uint32_t ncores) {
  const std::string cores = ncores == 1 ? "0" : "0-" + std::to_string(ncores - 1);
  return nlohmann::json::array({{{"rank", "0"}, {"children", {{"core", cores}}}}});
}

void tell(const meeting::JobFiles& files, notation::JobId id, const meeting::ShellOutcome& outcome) {
  std::cout << "status " << outcome.status << "\n";
  for (const document::Event& event : outcome.exceptions) {
    std::cout << "exception " << event.context.at("type").get<std::string>() << " "
              << event.context.at("severity") << " " << event.context.at("note").get<std::string>() << "\n";
  }
  std::cout << "events";
  for (const auto& event : document::decode_eventlog(read_file(files.exec_eventlog(id)))) {
    if (event.name != "exception") std::cout << " " << event.name;
  }
  std::cout << "\n";
  document::OutputDecoder decoder;
  std::map<std::string, std::string> data;
  std::string messages;
  for (const auto& event : document::decode_eventlog(read_file(files.output(id)))) {
    const auto item = decoder.decode(event);
    if (const auto* chunk = std::get_if<document::OutputChunk>(&item)) {
      data[chunk->stream + " " + chunk->ranks.encode()] += chunk->data;
    } else if (const auto* log = std::get_if<document::OutputLog>(&item)) {
      messages += "message " + log->message + "\n";
    } else if (const auto* redirect = std::get_if<document::OutputRedirect>(&item)) {
      messages +=
          "redirect " + redirect->stream + " " + redirect->ranks.encode() + " " + redirect->path + "\n";
    }
  }
  for (const auto& [stream, bytes] : data) {
    if (bytes.size() > 10000) {
      std::cout << stream << " has " << bytes.size() << " bytes\n";
    } else if (!bytes.empty()) {
      std::cout << stream << ": " << bytes << (bytes.back() == '\n' ? "" : "\n");
    }
  }
  std::cout << messages << (decoder.finished() ? "" : "unfinished\n");
}

int run(const std::vector<std::string>& words) {
  if (words.at(0) == "jobspec") {
    TestJob job = TestJob::shell(words.at(3));
    job.nslots = static_cast<std::uint32_t>(std::stoul(words.at(1)));
    job.options = nlohmann::json::parse(words.at(2));
    std::cout << job.jobspec();
    return 0;
  }
  const meeting::JobFiles files(words.at(1));
  const notation::JobId id{std::stoull(words.at(2))};
  if (words.at(0) == "order") {
    const auto order = meeting::decode_control(words.at(3));
    return order && meeting::write_control(files, id, *order) ? 0 : 1;
  }
  if (words.at(0) == "leftovers") {
    for (;;) {
      const auto left = meeting::kill_leftovers(files, id, 1);
      if (left.empty()) return 0;
      constexpr double kPatience = 60;
      if (!meeting::await_end(left, kPatience)) return 1;
    }
  }
  if (words.at(0) != "run") return 2;
  const SystemClock clock;
  meeting::LaunchPlan plan;
  plan.id = id;
  plan.userid = 64101;
  std::ifstream file(words.at(4));
  plan.signed_start =
      meeting::SignedStart{words.at(3), {std::istreambuf_iterator<char>(file), {}}, 0, {}, {}};
  plan.jobspec = payload_of(plan.signed_start->J);
  TestJob job;
  job.nslots = nlohmann::json::parse(plan.jobspec)["resources"][0]["count"].get<std::uint32_t>();
  job.R_lite = R_lite_for(job.nslots);
  plan.R = job.R();
  plan.time = clock.now();
  plan.boot_time = clock.boot_time();
  const double seconds = std::stod(words.at(5));
  plan.expiration = seconds > 0 ? plan.time + seconds : 0;
  plan.kill_grace_s = std::stod(words.at(6));
  plan.boot_id = boot_id();
  make_directory(files.store());
  files.create_directories();
  const FileLock alive = meeting::take_alive(files, id);
  meeting::prepare_guest(files, plan, clock.now());
  tell(files, id, shell::run_shell(files, meeting::read_launch(files, id), clock));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::cerr << "keeper_tool: " << failure.what() << "\n";
    return 1;
  }
}
