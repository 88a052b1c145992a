#include "meeting/launch.h"

#include <array>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "document/event/eventlog.h"
#include "meeting/control.h"
#include "meeting/enclosure.h"
#include "meeting/liveness.h"
#include "process/start/detach.h"
#include "process/start/find_program.h"

namespace fq::meeting {

using nlohmann::json;

namespace {

json encode_perilog(const PerilogPlan& plan) {
  return {{"command", plan.command}, {"timeout_s", plan.timeout_s}, {"kill_timeout_s", plan.kill_timeout_s}};
}

PerilogPlan decode_perilog(const JsonAt& at) {
  PerilogPlan plan;
  const JsonAt command = at.at("command").array();
  for (std::size_t i = 0; i < command.size(); ++i) plan.command.push_back(command.at(i).as_string());
  plan.timeout_s = at.at("timeout_s").as_number();
  plan.kill_timeout_s = at.at("kill_timeout_s").as_number();
  return plan;
}

}  // namespace

std::string encode_launch(const LaunchPlan& plan) {
  json value{{"version", 1},
             {"id", plan.id.value},
             {"attempt", plan.attempt},
             {"userid", plan.userid},
             {"jobspec", plan.jobspec},
             {"R", plan.R},
             {"time", plan.time},
             {"boot_time", plan.boot_time},
             {"expiration", plan.expiration},
             {"term_signal", plan.term_signal},
             {"kill_grace_s", plan.kill_grace_s},
             {"kill_signal", plan.kill_signal},
             {"max_kill_count", plan.max_kill_count},
             {"boot_id", plan.boot_id}};
  if (!plan.baseline.empty()) value["baseline"] = plan.baseline;
  if (plan.prolog) value["prolog"] = encode_perilog(*plan.prolog);
  if (plan.epilog) value["epilog"] = encode_perilog(*plan.epilog);
  if (plan.status) value["status"] = *plan.status;
  if (plan.housekeeping) value["housekeeping"] = encode_perilog(*plan.housekeeping);
  if (plan.housekeeping) value["of"] = plan.of.value;
  if (plan.signed_start) {
    const SignedStart& start = *plan.signed_start;
    value["signed"] = {{"store", start.store},
                       {"J", start.J},
                       {"index", start.index},
                       {"values", encode_base64(start.values)},
                       {"proof", encode_base64(start.proof)},
                       {"number", start.number}};
  }
  if (plan.most_output) value["most_output"] = *plan.most_output;
  return dump_json(value) + "\n";
}

LaunchPlan decode_launch(std::string_view text) {
  const json value = parse_json(text, "launch");
  const JsonAt at{value, "launch"};
  if (at.at("version").as_integer() != 1) throw at.at("version").fail("expected 1");
  LaunchPlan plan;
  const JsonAt id = at.at("id");
  if (!id.value().is_number_unsigned()) throw id.fail("expected a job id");
  plan.id.value = id.value().get<std::uint64_t>();
  plan.attempt = static_cast<std::uint32_t>(at.at("attempt").as_integer(1, UINT32_MAX));
  plan.userid = static_cast<std::uint32_t>(at.at("userid").as_integer(0, UINT32_MAX));
  plan.jobspec = at.at("jobspec").as_string();
  plan.R = at.at("R").as_string();
  plan.time = at.at("time").as_number();
  plan.boot_time = at.at("boot_time").as_number();
  plan.expiration = at.at("expiration").as_number();
  if (const auto signal = at.find("term_signal"))
    plan.term_signal = static_cast<int>(signal->as_integer(1, 64));
  plan.kill_grace_s = at.at("kill_grace_s").as_number();
  if (const auto signal = at.find("kill_signal"))
    plan.kill_signal = static_cast<int>(signal->as_integer(1, 64));
  if (const auto count = at.find("max_kill_count")) {
    plan.max_kill_count = static_cast<std::uint32_t>(count->as_integer(0, UINT32_MAX));
  }
  plan.boot_id = at.at("boot_id").as_string();
  if (const auto baseline = at.find("baseline")) plan.baseline = baseline->as_string();
  if (const auto prolog = at.find("prolog")) plan.prolog = decode_perilog(*prolog);
  if (const auto epilog = at.find("epilog")) plan.epilog = decode_perilog(*epilog);
  if (const auto status = at.find("status"))
    plan.status = static_cast<std::int32_t>(status->as_integer(INT32_MIN, INT32_MAX));
  if (const auto housekeeping = at.find("housekeeping")) {
    plan.housekeeping = decode_perilog(*housekeeping);
    const JsonAt of = at.at("of");
    if (!of.value().is_number_unsigned()) throw of.fail("expected a job id");
    plan.of.value = of.value().get<std::uint64_t>();
  }
  if (const auto start = at.find("signed")) {
    plan.signed_start = SignedStart{start->at("store").as_string(), start->at("J").as_string(),
                                    static_cast<std::uint64_t>(start->at("index").as_integer(0, UINT32_MAX)),
                                    decode_base64(start->at("values").as_string()),
                                    decode_base64(start->at("proof").as_string())};
    if (const auto number = start->find("number"))
      plan.signed_start->number = static_cast<std::uint64_t>(number->as_integer(0, INT64_MAX));
  }
  if (const auto most = at.find("most_output"))
    plan.most_output = static_cast<std::uint64_t>(most->as_integer(0, INT64_MAX));
  return plan;
}

namespace {

// Complete or not there; not synced, for a job does not outlive the machine's crash.
void write_whole(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".new";
  write_file(temporary, bytes);
  if (::rename(temporary.c_str(), path.c_str()) != 0)
    throw system_error("cannot rename " + quote(temporary), errno);
}

/// Whether launch.json is there and tells of another attempt.
bool is_other_attempt(const JobFiles& files, const LaunchPlan& plan) {
  const auto text = read_file_if_exists(files.launch(plan.id));
  if (!text) return false;
  try {
    return decode_launch(*text).attempt != plan.attempt;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

void prepare_guest(const JobFiles& files, const LaunchPlan& plan, double now) {
  files.create_guest(plan.id);
  // Orders to an earlier attempt are not this one's.
  prepare_control(files, plan.id, is_other_attempt(files, plan));
  write_whole(files.launch(plan.id), encode_launch(plan));
  if (!exists(files.exec_eventlog(plan.id))) {
    write_whole(files.exec_eventlog(plan.id), document::encode_event({now, "init", nullptr, nullptr}));
  }
}

LaunchPlan read_launch(const JobFiles& files, notation::JobId id) {
  LaunchPlan plan = decode_launch(read_file(files.launch(id)));
  if (plan.id != id) {
    throw error(Kind::invalid, "launch: {} belongs to job {}", quote(files.launch(id)),
                notation::to_f58(plan.id));
  }
  return plan;
}

pid_t start_shell(const JobFiles& files, const LaunchPlan& plan, FileLock alive, const std::string& program) {
  const std::vector<std::string> arguments{"fq-shell", "--store", files.store(),
                                           notation::to_dothex(plan.id)};
  try {
    const pid_t pid =
        process::start_detached(program.empty() ? process::find_program("fq-shell") : program, arguments,
                                std::array{alive.fd()}, enclosing_environment(files.store()));
    alive.close();
    return pid;
  } catch (const Error& failure) {
    failure.kind() == Kind::exhausted ? note_not_begun(alive) : note_start_failure(alive, failure.what());
    throw;
  }
}

}  // namespace fq::meeting
