#include "document/config/config_perilog.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "notation/fsd.h"

namespace fq::document {

using nlohmann::json;

namespace {

constexpr std::string_view kRequeue = "requeue";
constexpr std::string_view kFail = "fail";

std::vector<std::string> command_of(const ConfigAt& at) {
  if (!at.value().is_string()) return at.as_strings();
  if (at.as_string().empty()) return {};
  return {at.as_string()};
}

void check_command(const ConfigAt& at, const ProgramCheck& check_program) {
  const std::vector<std::string> command = command_of(at);
  if (command.empty()) return;
  const std::string& program = command.front();
  if (!program.starts_with('/'))
    throw at.fail(fmt::format("expected an absolute path, got {}", quote(program)));
  if (!check_program) return;
  try {
    check_program(program);
  } catch (const Error& failure) {
    throw at.fail(failure.what(), failure.hint());
  }
}

double seconds(const json& text) {
  const double value = notation::parse_fsd(text.get_ref<const std::string&>());
  return std::isinf(value) ? 0 : value;
}

}  // namespace

std::string_view name(PerilogKind kind) {
  constexpr std::array<std::string_view, kPerilogKinds.size()> kNames{"prolog", "epilog", "housekeeping"};
  return kNames.at(static_cast<std::size_t>(kind));
}

void check_perilog(const ConfigAt& at, PerilogKind kind, const ProgramCheck& program) {
  if (kind == PerilogKind::prolog) {
    at.allow_only({"command", "drain", "kill-timeout", "on-failure", "timeout"});
  } else {
    at.allow_only({"command", "drain", "kill-timeout", "timeout"});
  }
  if (const auto command = at.find("command")) check_command(*command, program);
  if (const auto timeout = at.find("timeout")) static_cast<void>(timeout->as_duration());
  if (const auto timeout = at.find("kill-timeout"); timeout && std::isinf(timeout->as_duration()))
    throw timeout->fail("what does not end must be killed some time");
  if (const auto drain = at.find("drain")) static_cast<void>(drain->as_boolean());
  if (const auto what = at.find("on-failure");
      what && what->as_string() != kFail && what->as_string() != kRequeue)
    throw what->fail(fmt::format("expected 'fail' or 'requeue', got {}", quote(what->as_string())));
}

void check_agreement(const ConfigAt& at, const PerilogConfig& prolog) {
  if (prolog.requeues && !prolog.drains)
    throw at.fail("a prolog that requeues its job must drain the nodes, or it fails there for ever");
}

PerilogConfig compile_perilog(const json& table) {
  PerilogConfig config;
  if (const auto command = table.find("command"); command != table.end()) {
    if (command->is_array()) config.command = command->get<std::vector<std::string>>();
    if (command->is_string() && *command != "") config.command = {command->get<std::string>()};
  }
  if (const auto timeout = table.find("timeout"); timeout != table.end())
    config.timeout_s = seconds(*timeout);
  if (const auto timeout = table.find("kill-timeout"); timeout != table.end())
    config.kill_timeout_s = seconds(*timeout);
  config.requeues = table.value("on-failure", kFail) == kRequeue;
  config.drains = table.value("drain", true);
  return config;
}

json encode_perilog(const PerilogConfig& config) {
  return {{"command", config.command},
          {"timeout", config.timeout_s},
          {"kill_timeout", config.kill_timeout_s},
          {"requeues", config.requeues},
          {"drains", config.drains}};
}

PerilogConfig decode_perilog(const JsonAt& at) {
  PerilogConfig config;
  const JsonAt command = at.at("command").array();
  for (std::size_t i = 0; i < command.size(); ++i) config.command.push_back(command.at(i).as_string());
  config.timeout_s = at.at("timeout").as_number();
  config.kill_timeout_s = at.at("kill_timeout").as_number();
  config.requeues = at.at("requeues").as_boolean();
  config.drains = at.at("drains").as_boolean();
  return config;
}

}  // namespace fq::document
