// Job specification, version 1 (RFC 25, with the definitions of RFC 14): what a job asks for and runs.
//
// A Jobspec is always valid: every way to make or change one checks the whole document and names the path of
// what is wrong (`jobspec: resources[0].with[1].count: expected …`). Keys that the RFCs do not forbid are
// kept as given. The resource shapes of V1 are
//
//   slot>core   slot>(core,gpu)   node>slot>core   node>slot>(core,gpu)

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace fq::document {

/// The numbers that scheduling needs of `resources`.
struct ResourceCounts {
  std::uint32_t nnodes = 0;          ///< nodes asked for; 0: the request has no node level
  std::uint32_t nslots = 0;          ///< slots in all: nodes × slots per node, or slots
  std::uint32_t slots_per_node = 0;  ///< with a node level, else 0
  std::uint32_t cores_per_slot = 0;
  std::uint32_t gpus_per_slot = 0;
  bool exclusive = false;  ///< whole nodes

  friend bool operator==(const ResourceCounts&, const ResourceCounts&) = default;
};

/// Copies share one immutable document and cost a reference count.
class Jobspec {
 public:
  /// The largest text that parse and from_yaml take: an embedded script fits, a mistake does not fill the
  /// store.
  static constexpr std::size_t kMaxBytes = 4U << 20;

  // Each throws Error{invalid} for a document that RFC 25 does not allow.
  [[nodiscard]] static Jobspec parse(std::string_view json_text);
  [[nodiscard]] static Jobspec from_json(nlohmann::json document);
  /// One YAML document with the types of the YAML 1.2 core schema.
  [[nodiscard]] static Jobspec from_yaml(std::string_view yaml_text);
  /// JSON where the text begins with `{`, else YAML.
  [[nodiscard]] static Jobspec from_text(std::string_view text);

  [[nodiscard]] const nlohmann::json& json() const;
  /// Compact JSON text, keys in alphabetic order.
  [[nodiscard]] std::string canonical() const;

  [[nodiscard]] const ResourceCounts& counts() const;
  /// Tasks to start: one a slot, or the total asked for, or what the shell option `per-resource` makes of the
  /// nodes or cores asked for, or one with `batch`. See tasks_per_node and tasks_per_core for what only the
  /// allocation decides.
  [[nodiscard]] std::uint32_t ntasks() const;
  /// The shell option `per-resource` of type node: tasks on each allocated node; 0 when it is not set.
  /// Without a node level ntasks() counts one node.
  [[nodiscard]] std::uint32_t tasks_per_node() const;
  /// The shell option `per-resource` of type core: tasks on each allocated core; 0 when it is not set. With
  /// whole nodes ntasks() counts only the cores asked for.
  [[nodiscard]] std::uint32_t tasks_per_core() const;
  /// The shell option `batch`, which is fq's own: the command runs once, on the first node, whatever slots
  /// were asked for.
  [[nodiscard]] bool batch() const;
  /// Cores and GPUs asked for in all; whole nodes may give more.
  [[nodiscard]] std::uint64_t ncores() const;
  [[nodiscard]] std::uint64_t ngpus() const;

  /// The program and its arguments: at least one, none with a NUL byte.
  [[nodiscard]] const std::vector<std::string>& command() const;
  /// Time limit in seconds; 0 when there is none.
  [[nodiscard]] double duration() const;

  // Attributes; empty when not set.
  [[nodiscard]] const std::string& cwd() const;
  [[nodiscard]] const std::string& queue() const;
  [[nodiscard]] const std::string& bank() const;
  [[nodiscard]] const std::string& project() const;
  [[nodiscard]] const std::string& qos() const;
  /// `attributes.system.job.name`, else the file name of the command. Never empty.
  [[nodiscard]] const std::string& name() const;
  /// True when the name was given (RFC 26 singleton needs that).
  [[nodiscard]] bool has_explicit_name() const;

  // Parts of `attributes.system`, or nullptr when not there. Valid while a copy of this Jobspec lives.
  [[nodiscard]] const nlohmann::json* constraints() const;    ///< an RFC 31 object
  [[nodiscard]] const nlohmann::json* dependencies() const;   ///< an array of RFC 26 objects
  [[nodiscard]] const nlohmann::json* environment() const;    ///< name → string, or null to unset
  [[nodiscard]] const nlohmann::json* shell_options() const;  ///< `shell.options`
  /// The attribute at a dotted path below `attributes`, as `system.shell.options.rlimit`; nullptr where there
  /// is none.
  [[nodiscard]] const nlohmann::json* attribute(std::string_view dotted) const;

  /// Applies the context of a jobspec-update event (RFC 21): each key is a dotted path into the document
  /// whose value is replaced, or added with the objects that lead to it. All keys are applied, then the whole
  /// document is checked; on Error{invalid} nothing has changed.
  void apply_update(const nlohmann::json& context);

 private:
  struct Document;
  /// Checks the document and throws Error{invalid} `PATH: …`.
  [[nodiscard]] static Jobspec make(nlohmann::json document);
  explicit Jobspec(std::shared_ptr<const Document> document) : document_(std::move(document)) {}
  std::shared_ptr<const Document> document_;
};

}  // namespace fq::document
