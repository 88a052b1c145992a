#include "document/config/config_access.h"

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"

namespace fq::document {

namespace {

constexpr std::int64_t kMostOfShare = std::numeric_limits<std::int64_t>::max();

// The numbers of shares by name, with the least that each may be beside 0.
struct ShareNumber {
  const char* name;
  std::uint64_t Shares::*member;
  std::int64_t least;
};
constexpr std::array<ShareNumber, 4> kShareNumbers{{{"pending-jobs", &Shares::pending_jobs, 1},
                                                    {"bytes", &Shares::bytes, 1},
                                                    {"connections", &Shares::connections, kLeastConnections},
                                                    {"disk-reserve", &Shares::disk_reserve, 1}}};
struct ShareDuration {
  const char* name;
  double Shares::*member;
};
constexpr std::array<ShareDuration, 2> kShareDurations{
    {{"processor-time", &Shares::processor_time_s}, {"patience", &Shares::patience_s}}};
constexpr double kLeastOfShare_s = 1;

Shares read_shares(const ConfigAt& table) {
  table.allow_only({"pending-jobs", "bytes", "connections", "disk-reserve", "processor-time", "patience"});
  Shares shares;
  for (const auto& [name, member, least] : kShareNumbers) {
    const auto value = table.find(name);
    if (!value) continue;
    const std::int64_t number = value->as_integer(0, kMostOfShare);
    if (number > 0 && number < least)
      throw value->fail(fmt::format("expected at least {}, or 0 for no limit, got {}", least, number));
    shares.*member = static_cast<std::uint64_t>(number);
  }
  for (const auto& [name, member] : kShareDurations) {
    const auto value = table.find(name);
    if (!value) continue;
    const double duration = value->as_duration();
    if (duration > 0 && duration < kLeastOfShare_s)
      throw value->fail("expected at least a second, or 0 for no limit");
    shares.*member = duration;
  }
  return shares;
}

}  // namespace

AccessConfig read_access(const ConfigAt& root) {
  AccessConfig access;
  const auto table = root.find("access");
  if (!table) return access;
  table->allow_only({"operators", "private", "shares"});
  if (const auto operators = table->find("operators")) {
    access.operators = operators->as_strings();
    for (const std::string& name : access.operators) {
      if (name.size() == 1 && name.front() == kGroupMark)
        throw operators->fail("expected the name of a group behind '@'");
    }
  }
  if (const auto is_private = table->find("private")) access.is_private = is_private->as_boolean();
  if (const auto shares = table->find("shares")) access.shares = read_shares(*shares);
  return access;
}

std::string encode_access(const AccessConfig& access) {
  if (access == AccessConfig{}) return {};
  nlohmann::json document{{"operators", access.operators}, {"private", access.is_private}};
  if (access.shares == Shares{}) return dump_json(document);
  nlohmann::json& shares = document["shares"];
  for (const auto& number : kShareNumbers) shares[number.name] = access.shares.*number.member;
  for (const auto& duration : kShareDurations) shares[duration.name] = access.shares.*duration.member;
  return dump_json(document);
}

AccessConfig decode_access(std::string_view text) {
  AccessConfig access;
  if (text.empty()) return access;
  const nlohmann::json document = parse_json(text, "access configuration");
  const JsonAt at{document, "access configuration"};
  const JsonAt operators = at.at("operators").array();
  for (std::size_t i = 0; i < operators.size(); ++i) access.operators.push_back(operators.at(i).as_string());
  access.is_private = at.at("private").as_boolean();
  const auto shares = at.find("shares");
  if (!shares) return access;
  for (const auto& number : kShareNumbers)
    access.shares.*number.member =
        static_cast<std::uint64_t>(shares->at(number.name).as_integer(0, kMostOfShare));
  for (const auto& duration : kShareDurations)
    access.shares.*duration.member = shares->at(duration.name).as_number();
  return access;
}

}  // namespace fq::document
