#include "sched/annotations.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"

namespace fq::sched {

using nlohmann::json;

namespace {

json parse_annotations(std::string_view text) {
  if (text.empty()) return json::object();
  json value = parse_json(text, "annotations");
  JsonAt(value, "annotations").object();
  return value;
}

/// REQUIRES objects.
void merge(json& base, const json& update) {
  for (const auto& [key, value] : update.items()) {
    if (value.is_null()) {
      base.erase(key);
      continue;
    }
    if (!value.is_object()) {
      base[key] = value;
      continue;
    }
    if (const auto there = base.find(key); there != base.end() && there->is_object()) {
      merge(*there, value);
      continue;
    }
    json fresh = json::object();
    merge(fresh, value);
    if (!fresh.empty() || value.empty() || base.contains(key)) base[key] = std::move(fresh);
  }
}

}  // namespace

std::string merge_annotations(std::string_view base, std::string_view update) {
  json merged = parse_annotations(base);
  merge(merged, parse_annotations(update));
  return merged.empty() ? std::string() : dump_json(merged);
}

std::string allocated_annotations(std::string_view resource_summary) {
  return dump_json(
      {{"sched",
        {{"resource_summary", resource_summary}, {"reason_pending", nullptr}, {"t_estimate", nullptr}}}});
}

std::string pending_annotations(std::string_view reason, double t_estimate) {
  json estimate;
  if (t_estimate > 0) estimate = t_estimate;
  return dump_json({{"sched", {{"reason_pending", reason}, {"t_estimate", estimate}}}});
}

}  // namespace fq::sched
