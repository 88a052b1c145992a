#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/config/config_path.h"
#include "document/config/config_source.h"
#include "notation/fsd.h"

namespace fq::document {

using nlohmann::json;

namespace {

std::string_view type_name(const json& value) {
  return value.is_object() ? "a table" : json_type_name(value);
}

}  // namespace

ConfigAt::ConfigAt(const json& document, const ConfigSource* source) : value_(&document), source_(source) {}

std::string ConfigAt::path() const {
  return join_path(path_);
}

Error ConfigAt::fail(std::string_view message, const std::string& hint) const {
  return fail_at(*this, message, hint);
}

Error ConfigAt::fail_at(const ConfigAt& cause, std::string_view message, const std::string& hint) const {
  std::string where = source_ != nullptr ? source_->place(cause.path_) : std::string{};
  if (!path_.empty()) where += fmt::format("{}{}", where.empty() ? "" : ": ", path());
  return Error{Kind::invalid, fmt::format("{}: {}", where.empty() ? "configuration" : where, message), hint};
}

std::vector<ConfigAt> ConfigAt::members() const {
  if (!value_->is_object()) throw fail(fmt::format("expected a table, got {}", type_name(*value_)));
  std::vector<ConfigAt> members;
  members.reserve(value_->size());
  for (const auto& [key, value] : value_->get_ref<const json::object_t&>()) {
    ConfigAt member = *this;
    member.value_ = &value;
    member.path_.emplace_back(key);
    members.push_back(std::move(member));
  }
  return members;
}

std::vector<ConfigAt> ConfigAt::elements() const {
  if (!value_->is_array()) throw fail(fmt::format("expected an array of tables, got {}", type_name(*value_)));
  std::vector<ConfigAt> elements;
  for (const json& value : *value_) {
    ConfigAt element = *this;
    element.value_ = &value;
    element.path_.push_back(fmt::format("[{}]", elements.size()));
    elements.push_back(std::move(element));
  }
  return elements;
}

std::optional<ConfigAt> ConfigAt::find(std::string_view key) const {
  if (!value_->is_object()) throw fail(fmt::format("expected a table, got {}", type_name(*value_)));
  const auto& table = value_->get_ref<const json::object_t&>();
  const auto found = table.find(key);
  if (found == table.end()) return std::nullopt;
  ConfigAt member = *this;
  member.value_ = &found->second;
  member.path_.emplace_back(found->first);
  return member;
}

void ConfigAt::allow_only(std::initializer_list<std::string_view> keys) const {
  for (const ConfigAt& member : members()) {
    if (std::find(keys.begin(), keys.end(), member.key()) != keys.end()) continue;
    const std::vector<std::string> known(keys.begin(), keys.end());
    std::string hint = did_you_mean(member.key(), known);
    if (hint.empty()) hint = "one of " + join(known, ", ");
    throw member.fail("unknown key", hint);
  }
}

const std::string& ConfigAt::as_string() const {
  if (!value_->is_string()) throw fail(fmt::format("expected a string, got {}", type_name(*value_)));
  return value_->get_ref<const std::string&>();
}

std::int64_t ConfigAt::as_integer(std::int64_t low, std::int64_t high) const {
  if (!value_->is_number_integer())
    throw fail(fmt::format("expected an integer, got {}", type_name(*value_)));
  const bool huge =
      value_->is_number_unsigned() && value_->get<std::uint64_t>() > static_cast<std::uint64_t>(high);
  const auto number = value_->get<std::int64_t>();
  if (huge || number < low || number > high) {
    throw fail(fmt::format("expected an integer from {} to {}, got {}", low, high, dump_json(*value_)));
  }
  return number;
}

bool ConfigAt::as_boolean() const {
  if (!value_->is_boolean()) throw fail(fmt::format("expected true or false, got {}", type_name(*value_)));
  return value_->get<bool>();
}

double ConfigAt::as_duration() const {
  return as_parsed([](const std::string& text) { return notation::parse_fsd(text); });
}

std::vector<std::string> ConfigAt::as_strings() const {
  if (!value_->is_array())
    throw fail(fmt::format("expected an array of strings, got {}", type_name(*value_)));
  std::vector<std::string> strings;
  for (const json& element : *value_) {
    if (!element.is_string()) {
      throw fail(fmt::format("expected an array of strings, got {} in it", type_name(element)));
    }
    if (element.get_ref<const std::string&>().empty()) throw fail("an empty string is in the array");
    strings.push_back(element);
  }
  return strings;
}

}  // namespace fq::document
