// A jobspec that has every field, and what becomes of it with another value in a place.

#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace fq::document {

inline constexpr const char* kExample = R"({
  "version": 1,
  "resources": [{"type": "node", "count": 2, "with": [
    {"type": "slot", "count": 3, "label": "task", "with": [
      {"type": "core", "count": 4}, {"type": "gpu", "count": 1}]}]}],
  "tasks": [{"command": ["/bin/echo", "hello"], "slot": "task", "count": {"per_slot": 1}}],
  "attributes": {"system": {
    "duration": 3600, "cwd": "/home/user", "queue": "batch", "bank": "physics", "project": "qcd", "qos": "normal",
    "environment": {"HOME": "/home/user", "DISPLAY": null},
    "job": {"name": "hello"},
    "dependencies": [{"scheme": "afterok", "value": "ƒ123"}],
    "constraints": {"properties": ["batch"]},
    "shell": {"options": {"verbose": 2}}}}})";

/// kExample with `value` (JSON text) at a JSON pointer; an empty value removes what is there.
inline nlohmann::json changed(const std::string& pointer, const std::string& value) {
  using nlohmann::json;
  json document = json::parse(kExample);
  const json::json_pointer at(pointer);
  if (!value.empty()) {
    document[at] = json::parse(value);
  } else {
    json& parent = document[at.parent_pointer()];
    parent.is_array() ? parent.erase(std::stoul(at.back())) : void(parent.erase(at.back()));
  }
  return document;
}

}  // namespace fq::document
