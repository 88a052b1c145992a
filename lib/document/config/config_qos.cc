#include "document/config/config_qos.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/config/config_policy.h"
#include "document/config/queue_name.h"

namespace fq::document {

using nlohmann::json;

namespace {

constexpr std::string_view kDuration = "duration", kJobSize = "job-size";

std::vector<QosConfig> built_in() {
  QosConfig expedite{"expedite", 1.0, true, {}, {}, false, false, {}, {}, {}};
  QosConfig normal{"normal", 0.5, false, {}, {}, false, false, {}, {}, {}};
  QosConfig standby{"standby", 0.0, false, {}, {}, true, true, {}, {}, {}};
  return {expedite, normal, standby};
}

QosConfig& of_name(std::vector<QosConfig>& list, std::string_view name) {
  const auto at =
      std::find_if(list.begin(), list.end(), [&](const QosConfig& each) { return each.name == name; });
  if (at != list.end()) return *at;
  list.push_back({std::string{name}, 0.5, false, {}, {}, false, false, {}, {}, {}});
  return list.back();
}

void read_one(const ConfigAt& at, QosConfig& qos, const OpaqueReader& read_limits) {
  at.allow_only({"allow-group", "allow-user", "exempt", "factor", "limits", "per-association", "preempt"});
  if (const auto factor = at.find("factor")) {
    if (!factor->value().is_number()) throw factor->fail("expected a number from 0 to 1");
    qos.factor = factor->value();
    if (!(qos.factor >= 0 && qos.factor <= 1)) throw factor->fail("expected a number from 0 to 1");
  }
  if (const auto users = at.find("allow-user")) qos.allow_user = users->as_strings();
  if (const auto groups = at.find("allow-group")) qos.allow_group = groups->as_strings();
  if (const auto exempt = at.find("exempt")) {
    qos.exempt_duration = qos.exempt_size = false;
    for (const std::string& limit : exempt->as_strings()) {
      if (limit != kDuration && limit != kJobSize) {
        throw exempt->fail(fmt::format("there is no limit {} to be exempt from: expected {} or {}",
                                       quote(limit), kDuration, kJobSize));
      }
      (limit == kDuration ? qos.exempt_duration : qos.exempt_size) = true;
    }
  }
  if (const auto preempt = at.find("preempt")) qos.preempt = preempt->as_strings();
  const auto limits = [&](const char* key, std::string& text) {
    const auto table = at.find(key);
    if (!table) return;
    check_opaque(*table, read_limits);
    text = dump_json(table->value());
  };
  limits("limits", qos.limits);
  limits("per-association", qos.per_association);
}

json encode_one(const QosConfig& qos) {
  json document{{"name", qos.name},
                {"factor", qos.factor},
                {"granted", qos.granted},
                {"exempt_duration", qos.exempt_duration},
                {"exempt_size", qos.exempt_size}};
  if (qos.allow_user) document["allow_user"] = *qos.allow_user;
  if (qos.allow_group) document["allow_group"] = *qos.allow_group;
  if (!qos.preempt.empty()) document["preempt"] = qos.preempt;
  if (!qos.limits.empty()) document["limits"] = qos.limits;
  if (!qos.per_association.empty()) document["per_association"] = qos.per_association;
  return document;
}

std::string text_at(const JsonAt& at, const char* key) {
  const auto value = at.find(key);
  return value ? value->as_string() : std::string{};
}

std::optional<std::vector<std::string>> names(const json& document, const char* key) {
  const auto at = document.find(key);
  return at == document.end() ? std::nullopt : std::optional{at->get<std::vector<std::string>>()};
}

}  // namespace

std::vector<QosConfig> read_qos(const ConfigAt& root, const OpaqueReader& read_limits) {
  std::vector<QosConfig> list = built_in();
  if (const auto table = root.find("qos")) {
    for (const ConfigAt& at : table->members()) {
      if (const std::string fault = qos_name_fault(at.key()); !fault.empty()) throw at.fail(fault);
      read_one(at, of_name(list, at.key()), read_limits);
    }
  }
  std::sort(list.begin(), list.end(), [](const QosConfig& a, const QosConfig& b) { return a.name < b.name; });
  return list;
}

std::string encode_qos(const std::vector<QosConfig>& list) {
  if (list == built_in()) return {};
  json document = json::array();
  for (const QosConfig& qos : list) document.push_back(encode_one(qos));
  return dump_json(document);
}

std::vector<QosConfig> decode_qos(std::string_view text) {
  if (text.empty()) return built_in();
  const json document = parse_json(text, "qos");
  const JsonAt at{document, "qos"};
  std::vector<QosConfig> list;
  for (std::size_t i = 0; i < at.array().size(); ++i) {
    const JsonAt one = at.at(i);
    list.push_back({one.at("name").as_string(), one.at("factor").as_number(), one.at("granted").as_boolean(),
                    names(one.value(), "allow_user"), names(one.value(), "allow_group"),
                    one.at("exempt_duration").as_boolean(), one.at("exempt_size").as_boolean(),
                    text_at(one, "limits"), text_at(one, "per_association"),
                    names(one.value(), "preempt").value_or(std::vector<std::string>{})});
  }
  return list;
}

}  // namespace fq::document
