#include "door/greeting.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "signature/signed_request.h"

namespace fq::door {

using nlohmann::json;

namespace {

void check_protocol(const JsonAt& at) {
  const auto protocol = at.object().at("protocol").as_integer();
  if (protocol == kProtocol) return;
  throw error(Kind::unavailable, "the other end speaks protocol {}, not {}: it is another version of fq",
              protocol, kProtocol);
}

// What stands in the lock file, for everybody to read.
bool is_command(std::string_view name) {
  constexpr std::size_t kLongest = 32;
  return name.starts_with("fq") && name.size() <= kLongest &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == ' ' || c == 'R'; });
}

}  // namespace

std::string encode_greeting(const Greeting& greeting) {
  json text{{"protocol", kProtocol}, {"command", greeting.command}, {"damaged", greeting.damaged}};
  if (std::isfinite(greeting.lock_timeout_s)) text["lock-timeout"] = greeting.lock_timeout_s;
  return dump_json(text);
}

Greeting decode_greeting(std::string_view text) {
  const json document = parse_json(text, "greeting");
  const JsonAt at{document, "greeting"};
  check_protocol(at);
  Greeting greeting;
  const JsonAt command = at.at("command");
  greeting.command = command.as_string();
  if (!is_command(greeting.command)) throw command.fail("expected the name of a command of fq");
  greeting.damaged = at.at("damaged").as_boolean();
  greeting.lock_timeout_s = std::numeric_limits<double>::infinity();
  if (const auto timeout = at.find("lock-timeout")) {
    greeting.lock_timeout_s = timeout->as_number();
    if (greeting.lock_timeout_s < 0) throw timeout->fail("expected no negative time");
  }
  return greeting;
}

std::string encode_welcome(const Welcome& welcome) {
  json text{{"protocol", kProtocol}, {"userid", welcome.userid}};
  if (!welcome.signs_for.empty()) text["signs-for"] = welcome.signs_for;
  return dump_json(text);
}

Welcome decode_welcome(std::string_view text) {
  const json document = parse_json(text, "greeting");
  const JsonAt at{document, "greeting"};
  check_protocol(at);
  Welcome welcome;
  welcome.userid = static_cast<std::uint32_t>(at.at("userid").as_integer(0, UINT32_MAX));
  if (const auto name = at.find("signs-for")) {
    welcome.signs_for = name->as_string();
    if (!signature::is_store_name(welcome.signs_for)) throw name->fail("expected the name of a store");
  }
  return welcome;
}

}  // namespace fq::door
