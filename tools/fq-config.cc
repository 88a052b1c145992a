// fq-config: checks, loads and shows the configuration of queues.

#include <algorithm>
#include <array>
#include <cmath>

#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/config_input.h"
#include "cli/frame/damaged_option.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/frame/run_tool.h"
#include "cli/frame/sub_command.h"
#include "cli/list/queue_listing.h"
#include "cli/list/resource_listing.h"
#include "commands.h"
#include "document/config/config_source.h"
#include "document/config/queue_instances.h"
#include "frame/store_session.h"
#include "manager/site/configure.h"
#include "notation/fsd.h"
#include "request/configuration.h"

namespace {

using namespace fq;
using nlohmann::json;

// Who is let in and is not there yet may come: that is told, and no error.
void tell_unknown_names(const std::vector<document::ConfigSource::File>& files) {
  for (const Error& unknown : cli::unknown_names(document::ConfigSource(files)))
    cli::print_error(cli::error_line("fq-config", unknown));
}

// What becomes of queues that have jobs and that a configuration no longer has.
void tell_vanished(const std::vector<request::VanishedQueue>& vanished, bool is_loaded) {
  for (const request::VanishedQueue& queue : vanished)
    cli::say("fq-config", cli::vanished_line(queue, is_loaded));
}

// What a request about a configuration takes: the files as they are, and the nodes that they give.
struct Configuration {
  std::vector<document::ConfigSource::File> files;
  std::optional<document::ResourceSet> nodes;
};

Configuration read_configuration(const std::string& path) {
  Configuration read{cli::read_config_files(path), {}};
  read.nodes = cli::read_config_nodes(document::ConfigSource(read.files), path);
  return read;
}

int check(int argc, char** argv) {
  cli::CommonOptions common;
  std::optional<std::string> r_file;
  cli::OptionParser parser("fq-config check", "check a configuration, change nothing", {"FILE|DIR", 1, 1});
  parser.example("fq config check /etc/fq");
  parser.group("Options");
  parser.option("--R", "FILE", r_file, "for the nodes of this RFC 20 set, not the store's");
  cli::add_common_options(parser, common);
  const std::string path = parser.parse(argc, argv).front();
  const Configuration read = read_configuration(path);
  request::CheckConfigReply checked;
  if (r_file || (read.nodes && !common.store)) {
    const document::Config config =
        manager::check_config(document::ConfigSource(read.files),
                              r_file ? document::ResourceSet::parse(read_file(*r_file)) : *read.nodes);
    checked = {document::count_queues(config), config.default_queue, {}, {}};
  } else {
    const tools::StoreSession store("fq-config", common);
    checked = store.get().ask(request::CheckConfigRequest{read.files, read.nodes});
  }
  tell_unknown_names(read.files);
  for (const std::string& note : checked.notes) cli::say("fq-config", note);
  tell_vanished(checked.vanished, /*is_loaded=*/false);
  if (checked.default_queue.empty()) {
    cli::print("no queues\n");
  } else {
    cli::print_line(fmt::format("{}, default {}", counted(checked.queues, "queue"), checked.default_queue));
  }
  return 0;
}

int load(int argc, char** argv) {
  cli::CommonOptions common;
  bool force = false;
  cli::OptionParser parser("fq-config load", "check a configuration and put it into force",
                           {"[FILE|DIR]", 0, 1});
  parser.example("fq config load /etc/fq");
  parser.example("fq config show | fq config load -");
  parser.group("Options");
  parser.flag("--force", force, "though jobs wait in queues that are gone by it");
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  if (operands.empty() && ::isatty(STDIN_FILENO) == 1)
    throw Error{Kind::usage, "which configuration? give a file or a directory", "-: standard input"};
  const std::string path = operands.empty() ? "-" : operands.front();
  const Configuration read = read_configuration(path);
  const tools::StoreSession store("fq-config", common);
  const request::LoadReply reply =
      store.get().ask(request::LoadConfigRequest{read.files, force, read.nodes, {}});
  tell_unknown_names(read.files);
  for (const std::string& note : reply.notes) cli::say("fq-config", note);
  tell_vanished(reply.vanished, /*is_loaded=*/true);
  if (!reply.leaving.empty()) cli::say("fq-config", cli::leaving_words(reply.leaving));
  return 0;
}

json loaded(const cli::CommonOptions& common) {
  const tools::StoreSession store("fq-config", common);
  return parse_json(store.get().ask(request::ConfigRequest{}).document, "configuration");
}

// `part` of `key` is not a member of `table`.
Error not_set(const std::string& key, std::string_view part, const json& table) {
  std::vector<std::string> names;
  if (table.is_object()) {
    for (const auto& member : table.items()) names.push_back(member.key());
  }
  return Error{Kind::not_found, fmt::format("key {} is not set", quote(key)), did_you_mean(part, names)};
}

constexpr std::array<std::string_view, 9> kTypes{"string", "integer", "real",        "boolean", "object",
                                                 "array",  "fsd",     "fsd-integer", "fsd-real"};

bool has_type(const json& value, std::string_view type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "real") return value.is_number_float();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  return value.is_string();
}

// The value as `get` prints it: text as it is, the rest as JSON; of durations that are asked for as numbers
// the seconds. Throws Error{refused} for one that has not the type.
std::string value_text(const std::string& key, const json& value, const std::optional<std::string>& type) {
  const Error wrong =
      error(Kind::refused, "key {} is no {}: {}", quote(key), type.value_or(""), dump_json(value));
  if (type && !has_type(value, *type)) throw wrong;
  if (!value.is_string()) return dump_json(value);
  const std::string& text = value.get_ref<const std::string&>();
  if (!type || !type->starts_with("fsd")) return text;
  double seconds = 0;
  try {
    seconds = notation::parse_fsd(text);
  } catch (const Error&) {
    throw wrong;
  }
  if (*type == "fsd-real") return fmt::format("{:f}", seconds);
  return *type == "fsd-integer" ? fmt::format("{:.0f}", std::floor(seconds)) : text;
}

int get(int argc, char** argv) {
  cli::CommonOptions common;
  std::optional<std::string> otherwise, type;
  bool quiet = false;
  cli::OptionParser parser("fq-config get", "print one value of the configuration, or all: text, or JSON",
                           {"[KEY]", 0, 1});
  parser.example("fq config get queues.debug.policy.limits");
  parser.example("fq config get --type=fsd-integer --default=3600 policy.limits.duration");
  parser.group("Options");
  parser.option("-d,--default", "VALUE", otherwise, "print this where the key is not set");
  parser.option(
      "-t,--type", "TYPE",
      [&](const std::string& value) {
        const std::vector<std::string> names(kTypes.begin(), kTypes.end());
        if (std::find(names.begin(), names.end(), value) == names.end()) {
          throw Error{Kind::usage, fmt::format("there is no type {}", quote(value)),
                      "one of " + join(names, ", ")};
        }
        type = value;
      },
      "refuse others: string, integer, fsd, …");
  parser.flag("-q,--quiet", quiet, "say nothing where the key is not set");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  const json document = loaded(common);
  const std::string key = operands.empty() ? "" : operands.front();
  const json* at = &document;
  for (const std::string_view part : operands.empty() ? std::vector<std::string_view>{} : split(key, '.')) {
    const auto member = at->is_object() ? at->find(part) : at->end();
    if (member == at->end()) {
      if (!otherwise && quiet) return 1;
      if (!otherwise) throw not_set(key, part, *at);
      cli::print(*otherwise + "\n");
      return 0;
    }
    at = &*member;
  }
  cli::print(value_text(key, *at, type) + "\n");
  return 0;
}

int show(int argc, char** argv) {
  cli::CommonOptions common;
  cli::OptionParser parser("fq-config show", "print the configuration in force as JSON");
  parser.example("fq config show");
  cli::add_common_options(parser, common);
  cli::add_damaged_option(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  cli::print(dump_json(loaded(common)) + "\n");
  return 0;
}

int run(int argc, char** argv) {
  const std::vector<cli::SubCommand> commands{
      {"check", "check a configuration, change nothing", check},
      {"load", "check a configuration and put it into force", load},
      {"get", "print one value of the configuration, or all", get},
      {"show", "print the configuration in force as JSON", show},
  };
  return cli::run_sub_command("fq-config", "configure queues and their policy", commands, argc, argv);
}

}  // namespace

int fq::tools::command::config(int argc, char** argv) {
  return ::run(argc, argv);
}
