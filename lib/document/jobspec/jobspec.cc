#include "document/jobspec/jobspec.h"

#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "document/config/yaml.h"
#include "document/jobspec/jobspec_fields.h"

namespace fq::document {

using Json = nlohmann::json;  // `json` is a member of Jobspec

struct Jobspec::Document {
  Json root;
  JobspecFields fields;

  explicit Document(Json document) : root(std::move(document)) { read_jobspec(root, fields); }
};

namespace {

/// What is wrong with a value, and where: `key`, `key.key`, `[0].key`.
struct Flaw {
  std::string path;
  std::string message;

  Flaw below(std::string_view key) && {
    const std::string_view dot = path.empty() || path.front() == '[' ? "" : ".";
    return Flaw{fmt::format("{}{}{}", key, dot, path), std::move(message)};
  }
};

/// Looks for what JSON text cannot hold but code that builds a document may put there: bytes that are not
/// UTF-8, infinite numbers, nesting that parse_json would refuse. `depth` counts the levels above.
std::optional<Flaw> find_flaw(const Json& value, std::size_t depth) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (!is_valid_utf8(text)) return Flaw{"", fmt::format("expected UTF-8 text, got {}", quote(text))};
  } else if (value.is_number_float()) {
    if (!std::isfinite(value.get<double>())) return Flaw{"", "expected a finite number"};
  } else if (value.is_binary()) {
    return Flaw{"", "expected a JSON value, got binary data"};
  } else if (value.is_structured() && depth == kMaxJsonDepth) {
    return Flaw{"", fmt::format("nested more than {} levels deep", kMaxJsonDepth)};
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (auto flaw = find_flaw(value[i], depth + 1)) return std::move(*flaw).below(fmt::format("[{}]", i));
    }
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
      if (!is_valid_utf8(key)) return Flaw{"", fmt::format("expected a UTF-8 key, got {}", quote(key))};
      if (auto flaw = find_flaw(member, depth + 1)) return std::move(*flaw).below(key);
    }
  }
  return std::nullopt;
}

void check_representable(const Json& document) {
  if (const auto flaw = find_flaw(document, 0)) throw JsonAt{document, flaw->path}.fail(flaw->message);
}

}  // namespace

Jobspec Jobspec::make(nlohmann::json document) {
  return Jobspec{std::make_shared<const Document>(std::move(document))};
}

Jobspec Jobspec::parse(std::string_view json_text) {
  if (json_text.size() > kMaxBytes) {
    throw error(Kind::invalid, "jobspec: {} bytes are more than the {} allowed", json_text.size(), kMaxBytes);
  }
  Json document = parse_json(json_text, "jobspec");
  try {
    return make(std::move(document));
  } catch (const Error& failure) {
    throw failure.within("jobspec");
  }
}

Jobspec Jobspec::from_yaml(std::string_view yaml_text) {
  return from_json(read_yaml(yaml_text, "jobspec"));
}

Jobspec Jobspec::from_text(std::string_view text) {
  return trim(text).starts_with('{') ? parse(text) : from_yaml(text);
}

Jobspec Jobspec::from_json(nlohmann::json document) {
  try {
    check_representable(document);
    return make(std::move(document));
  } catch (const Error& failure) {
    throw failure.within("jobspec");
  }
}

void Jobspec::apply_update(const nlohmann::json& context) {
  try {
    if (JsonAt{context, ""}.object().size() == 0) {
      throw Error{Kind::invalid, "expected at least one key, got none"};
    }
    Json changed = document_->root;
    for (const auto& [path, value] : context.get_ref<const Json::object_t&>()) {
      Json* at = &changed;
      for (const std::string_view key : split(path, '.')) {
        if (key.empty()) {
          throw error(Kind::invalid, "expected keys separated by single dots, got {}", quote(path));
        }
        if (at->is_null()) *at = Json::object();
        if (!at->is_object()) {
          throw error(Kind::invalid, "{}: there is {} above the key {}", path, json_type_name(*at),
                      quote(key));
        }
        at = &at->get_ref<Json::object_t&>()[std::string{key}];
      }
      *at = value;
    }
    check_representable(changed);
    *this = make(std::move(changed));
  } catch (const Error& failure) {
    throw failure.within("jobspec-update");
  }
}

const Json* Jobspec::attribute(std::string_view dotted) const {
  const Json* at = &document_->root.at("attributes");
  for (const std::string_view key : split(dotted, '.')) {
    if (!at->is_object()) return nullptr;
    const auto member = at->find(key);
    if (member == at->end()) return nullptr;
    at = &*member;
  }
  return at;
}

const Json& Jobspec::json() const {
  return document_->root;
}
std::string Jobspec::canonical() const {
  return dump_json(document_->root);
}
const ResourceCounts& Jobspec::counts() const {
  return document_->fields.counts;
}
std::uint32_t Jobspec::ntasks() const {
  return document_->fields.ntasks;
}
std::uint32_t Jobspec::tasks_per_node() const {
  return document_->fields.tasks_per_node;
}
std::uint32_t Jobspec::tasks_per_core() const {
  return document_->fields.tasks_per_core;
}
bool Jobspec::batch() const {
  return document_->fields.batch;
}
std::uint64_t Jobspec::ncores() const {
  return std::uint64_t{counts().nslots} * counts().cores_per_slot;
}
std::uint64_t Jobspec::ngpus() const {
  return std::uint64_t{counts().nslots} * counts().gpus_per_slot;
}
const std::vector<std::string>& Jobspec::command() const {
  return document_->fields.command;
}
double Jobspec::duration() const {
  return document_->fields.duration;
}
const std::string& Jobspec::cwd() const {
  return document_->fields.cwd;
}
const std::string& Jobspec::queue() const {
  return document_->fields.queue;
}
const std::string& Jobspec::bank() const {
  return document_->fields.bank;
}
const std::string& Jobspec::project() const {
  return document_->fields.project;
}
const std::string& Jobspec::qos() const {
  return document_->fields.qos;
}
const std::string& Jobspec::name() const {
  return document_->fields.name;
}
bool Jobspec::has_explicit_name() const {
  return document_->fields.explicit_name;
}
const nlohmann::json* Jobspec::constraints() const {
  return document_->fields.constraints;
}
const nlohmann::json* Jobspec::dependencies() const {
  return document_->fields.dependencies;
}
const nlohmann::json* Jobspec::environment() const {
  return document_->fields.environment;
}
const nlohmann::json* Jobspec::shell_options() const {
  return document_->fields.shell_options;
}

}  // namespace fq::document
