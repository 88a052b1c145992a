#include "document/jobspec/jobspec_fields.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "document/jobspec/dependency.h"

namespace fq::document {

using nlohmann::json;

namespace {

constexpr std::int64_t kMaxCount = std::numeric_limits<std::uint32_t>::max();

/// A string of a document without NUL bytes, which neither exec nor a terminal could take.
const std::string& plain_string(const JsonAt& at) {
  const std::string& text = at.as_string();
  if (text.find('\0') != std::string::npos) throw at.fail("expected text without NUL bytes");
  return text;
}

const std::string& nonempty_string(const JsonAt& at) {
  const std::string& text = plain_string(at);
  if (text.empty()) throw at.fail("expected a name, got an empty string");
  return text;
}

/// A fixed count of 1 or more; RFC 14's sets and ranges are not part of version 1.
std::uint32_t read_count(const JsonAt& at) {
  const json& value = at.value();
  if (value.is_string() || value.is_object()) {
    throw at.fail(fmt::format("expected an integer, got {} (version 1 has no sets or ranges of counts)",
                              json_type_name(value)));
  }
  return static_cast<std::uint32_t>(at.as_integer(1, kMaxCount));
}

/// a × b, or Error `PATH: WHAT are more than 4294967295`.
std::uint32_t product(const JsonAt& at, std::uint64_t a, std::uint64_t b, std::string_view what) {
  if (a * b > static_cast<std::uint64_t>(kMaxCount)) {
    throw at.fail(fmt::format("{} × {} {} are more than {}", a, b, what, kMaxCount));
  }
  return static_cast<std::uint32_t>(a * b);
}

void check_environment(const JsonAt& environment) {
  for (const auto& [name, value] : environment.object().value().get_ref<const json::object_t&>()) {
    if (name.empty() || name.find_first_of(std::string_view{"=\0", 2}) != std::string::npos) {
      throw environment.fail(
          fmt::format("expected the name of an environment variable, got {}", quote(name)));
    }
    if (value.is_null()) continue;
    if (!value.is_string()) {
      throw environment.fail(fmt::format("expected a string for {}, or null to unset it, got {}", quote(name),
                                         json_type_name(value)));
    }
    if (value.get_ref<const std::string&>().find('\0') != std::string::npos) {
      throw environment.fail(fmt::format("expected text without NUL bytes for {}", quote(name)));
    }
  }
}

class Reader {
 public:
  explicit Reader(JobspecFields& fields) : fields_(fields), counts_(fields.counts) {}
  void read(const JsonAt& top);

 private:
  void read_resources(const JsonAt& resources);
  std::uint32_t read_vertex(const JsonAt& vertex);
  void read_node(const JsonAt& node);
  void read_slot(const JsonAt& slot);
  void read_task(const JsonAt& task);
  void read_system(const JsonAt& system);
  void read_shell(const JsonAt& shell);
  void read_per_resource(const JsonAt& per_resource);

  JobspecFields& fields_;
  ResourceCounts& counts_;
  std::vector<std::string> labels_;  ///< seen so far; each may be used once
  std::string slot_label_;
};

void Reader::read_resources(const JsonAt& resources) {
  if (resources.array().size() != 1) {
    throw resources.fail(
        fmt::format("expected one resource, a 'node' or a 'slot', got {}", resources.size()));
  }
  const JsonAt top = resources.at(0);
  const JsonAt type = top.object().at("type");
  if (type.as_string() == "node") {
    read_node(top);
  } else if (type.as_string() == "slot") {
    read_slot(top);
  } else {
    throw type.fail(fmt::format("expected 'node' or 'slot', got {}", quote(type.as_string())));
  }
}

/// Checks the keys that every resource has. Returns the count.
std::uint32_t Reader::read_vertex(const JsonAt& vertex) {
  const std::uint32_t count = read_count(vertex.at("count"));
  if (const auto unit = vertex.find("unit")) static_cast<void>(unit->as_string());
  if (const auto exclusive = vertex.find("exclusive")) static_cast<void>(exclusive->as_boolean());
  if (const auto label = vertex.find("label")) {
    if (std::find(labels_.begin(), labels_.end(), label->as_string()) != labels_.end()) {
      throw label->fail(fmt::format("the label {} is used twice", quote(label->as_string())));
    }
    labels_.push_back(label->as_string());
  }
  return count;
}

void Reader::read_node(const JsonAt& node) {
  node.allow_only({"type", "count", "unit", "with", "label", "exclusive"});
  counts_.nnodes = read_vertex(node);
  if (const auto exclusive = node.find("exclusive")) counts_.exclusive = exclusive->as_boolean();

  const JsonAt with = node.at("with");
  if (with.array().size() != 1) {
    throw with.fail(fmt::format("expected one resource, a 'slot', got {}", with.size()));
  }
  const JsonAt slot = with.at(0);
  const JsonAt type = slot.object().at("type");
  if (type.as_string() != "slot") {
    throw type.fail(fmt::format("expected 'slot', got {}", quote(type.as_string())));
  }
  read_slot(slot);
}

void Reader::read_slot(const JsonAt& slot) {
  const std::uint32_t nnodes = counts_.nnodes;
  slot.allow_only({"type", "count", "unit", "with", "label", "exclusive"});
  const std::uint32_t nslots = read_vertex(slot);
  slot_label_ = slot.at("label").as_string();
  counts_.slots_per_node = nnodes > 0 ? nslots : 0;
  counts_.nslots = nnodes > 0 ? product(slot.at("count"), nnodes, nslots, "slots") : nslots;

  const JsonAt with = slot.at("with");
  if (with.array().size() < 1 || with.size() > 2) {
    throw with.fail(fmt::format("expected a 'core' and perhaps a 'gpu', got {} resources", with.size()));
  }
  for (std::size_t i = 0; i < with.size(); ++i) {
    const JsonAt child = with.at(i);
    const JsonAt type = child.object().at("type");
    const std::string& name = type.as_string();
    if (name != "core" && name != "gpu") {
      throw type.fail(fmt::format("expected 'core' or 'gpu', got {}", quote(name)));
    }
    if (child.find("with")) throw child.fail(fmt::format("a '{}' has nothing below it in version 1", name));
    child.allow_only({"type", "count", "unit", "label"});
    std::uint32_t& count = name == "core" ? counts_.cores_per_slot : counts_.gpus_per_slot;
    if (count != 0) throw type.fail(fmt::format("a second '{}' in the same slot", name));
    count = read_vertex(child);
  }
  if (counts_.cores_per_slot == 0) throw with.fail("expected a 'core', which every slot needs");
}

void Reader::read_task(const JsonAt& task) {
  task.object().allow_only({"command", "slot", "count"});

  const JsonAt words = task.at("command");
  if (words.array().size() == 0) throw words.fail("expected a program and its arguments, got an empty array");
  std::vector<std::string>& command = fields_.command;
  command.reserve(words.size());
  for (const json& word : words.value()) {
    if (!word.is_string()) static_cast<void>(words.at(command.size()).as_string());
    command.push_back(word.get_ref<const std::string&>());
    if (command.back().find('\0') != std::string::npos) plain_string(words.at(command.size() - 1));
  }
  if (command.front().empty()) throw words.at(0).fail("expected a program, got an empty string");

  const JsonAt slot = task.at("slot");
  if (slot.as_string() != slot_label_) {
    throw slot.fail(
        fmt::format("expected the slot's label {}, got {}", quote(slot_label_), quote(slot.as_string())));
  }

  const JsonAt count = task.at("count");
  if (const auto per_resource = count.find("per_resource")) {
    throw per_resource->fail("version 1 has only 'per_slot' and 'total'");
  }
  count.allow_only({"per_slot", "total"});
  const auto per_slot = count.find("per_slot");
  const auto total = count.find("total");
  if (per_slot.has_value() == total.has_value()) {
    throw count.fail("expected one key, 'per_slot' or 'total'");
  }
  if (per_slot) {
    if (per_slot->as_integer() != 1) {
      throw per_slot->fail(
          fmt::format("expected 1, all that version 1 allows, got {}", per_slot->as_integer()));
    }
    fields_.ntasks = counts_.nslots;
  } else {
    fields_.ntasks = read_count(*total);
    if (fields_.ntasks < counts_.nnodes) {
      throw total->fail(
          fmt::format("expected at least {}, a task for each node, got {}", counts_.nnodes, fields_.ntasks));
    }
  }
}

void Reader::read_system(const JsonAt& system) {
  system.object();
  const auto duration_in = [](const JsonAt& at) {
    const double seconds = at.as_number();
    if (seconds < 0) throw at.fail(fmt::format("expected 0 or more seconds, got {}", seconds));
    return seconds;
  };
  fields_.duration = duration_in(system.at("duration"));
  // fq's own: a duration of 0, which RFC 14 lets stand for one that is not set, is set.
  if (const auto unlimited = system.find("unlimited")) static_cast<void>(unlimited->as_boolean());
  if (const auto after = system.find("preemptible-after")) static_cast<void>(duration_in(*after));
  if (const auto at = system.find("cwd")) {
    fields_.cwd = plain_string(*at);
    if (!fields_.cwd.starts_with('/'))
      throw at->fail(fmt::format("expected an absolute path, got {}", quote(fields_.cwd)));
  }
  if (const auto at = system.find("queue")) fields_.queue = nonempty_string(*at);
  if (const auto at = system.find("bank")) fields_.bank = nonempty_string(*at);
  if (const auto at = system.find("project")) fields_.project = nonempty_string(*at);
  if (const auto at = system.find("qos")) fields_.qos = nonempty_string(*at);
  if (const auto at = system.find("job")) {
    for (const auto& member : at->object().value().items())
      static_cast<void>(plain_string(at->at(member.key())));
    if (const auto given = at->find("name")) fields_.name = given->as_string();
  }
  if (const auto at = system.find("environment")) {
    check_environment(*at);
    fields_.environment = &at->value();
  }
  if (const auto at = system.find("dependencies")) {
    check_dependencies(*at);
    fields_.dependencies = &at->value();
  }
  if (const auto at = system.find("constraints")) fields_.constraints = &at->object().value();
  if (const auto at = system.find("files")) at->object();
  if (const auto at = system.find("shell")) read_shell(*at);
}

void Reader::read_shell(const JsonAt& shell) {
  const auto options = shell.find("options");
  if (!options) return;
  fields_.shell_options = &options->object().value();
  if (const auto per_resource = options->find("per-resource")) read_per_resource(*per_resource);
  if (const auto batch = options->find("batch")) {
    const json& value = batch->value();
    fields_.batch = value.is_boolean() ? value.get<bool>() : batch->as_integer(0, 1) != 0;
    if (fields_.batch) fields_.ntasks = 1;
  }
}

void Reader::read_per_resource(const JsonAt& per_resource) {
  const JsonAt type = per_resource.at("type");
  const auto given = per_resource.find("count");
  const std::uint32_t count = given ? read_count(*given) : 1;
  if (type.as_string() == "node") {
    fields_.tasks_per_node = count;
    fields_.ntasks = product(per_resource, std::max(counts_.nnodes, 1U), count, "tasks");
  } else if (type.as_string() == "core") {
    fields_.tasks_per_core = count;
    const std::uint32_t ncores = product(per_resource, counts_.nslots, counts_.cores_per_slot, "cores");
    fields_.ntasks = product(per_resource, ncores, count, "tasks");
  } else {
    throw type.fail(fmt::format("expected 'node' or 'core', got {}", quote(type.as_string())));
  }
}

void Reader::read(const JsonAt& top) {
  const JsonAt version = top.object().at("version");
  if (version.as_integer() != 1) throw version.fail(fmt::format("expected 1, got {}", version.as_integer()));
  const JsonAt resources = top.at("resources");
  const JsonAt tasks = top.at("tasks");
  const JsonAt attributes = top.at("attributes");

  read_resources(resources);
  if (tasks.array().size() != 1) throw tasks.fail(fmt::format("expected one task, got {}", tasks.size()));
  read_task(tasks.at(0));
  attributes.object().allow_only({"system", "user"});
  read_system(attributes.at("system"));
  if (const auto user = attributes.find("user")) user->object();

  std::string& name = fields_.name;
  fields_.explicit_name = !name.empty();
  if (!fields_.explicit_name) {
    const std::string& program = fields_.command.front();
    name = program.substr(program.rfind('/') + 1);  // npos + 1 is 0
    if (name.empty()) name = program;
  }
}

}  // namespace

void read_jobspec(const nlohmann::json& root, JobspecFields& fields) {
  Reader{fields}.read(JsonAt{root, ""});
}

}  // namespace fq::document
