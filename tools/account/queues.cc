// fq-account add-queue, edit-queue, delete-queue, view-queue and list-queues: queues as tables of accounts
// have them. They are in the configuration (fq-config), which each change replaces by one with that change.

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "account/commands.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "cli/list/queue_listing.h"
#include "frame/store_session.h"
#include "notation/fsd.h"
#include "request/configuration.h"
#include "request/queue.h"

namespace fq::tools::account {

using nlohmann::json;

namespace {

constexpr std::string_view kUnlimited = "unlimited";

// A change of one queue: its table is merged with `patch` (RFC 7396).
struct QueueEdit {
  std::string name;
  json patch = json::object();
  bool make_default = false, force = false;
};

const json::json_pointer& default_queue_path() {
  static const json::json_pointer kPath{"/policy/jobspec/defaults/system/queue"};
  return kPath;
}

void add_limit_option(cli::OptionParser& parser, QueueEdit& edit, const std::string& name,
                      const std::string& path, std::string_view help) {
  const auto take = [&edit, path](const std::string& text) {
    constexpr std::uint64_t kMost = 1'000'000'000;
    const auto number = parse_u64(text);
    const bool none = text == kUnlimited || text == "-1";
    if (!none && (!number || *number > kMost))
      throw error(Kind::invalid, "expected a whole number or 'unlimited', got {}", quote(text));
    edit.patch[json::json_pointer{path}] = none ? -1 : static_cast<std::int64_t>(*number);
  };
  parser.option(name, "N", take, help);
}

void add_queue_options(cli::OptionParser& parser, QueueEdit& edit) {
  add_limit_option(parser, edit, "--min-nodes-per-job", "/policy/limits/job-size/min/nnodes",
                   "nodes at least: others are refused");
  add_limit_option(parser, edit, "--max-nodes-per-job", "/policy/limits/job-size/max/nnodes",
                   "nodes at most: others are refused");
  parser.option(
      "--max-time-per-job", "TIME",
      [&edit](const std::string& text) {
        const bool none = text == kUnlimited || text == "-1";
        static_cast<void>(none ? 0 : notation::parse_fsd(text));
        edit.patch[json::json_pointer{"/policy/limits/duration"}] = none ? "0" : text;
      },
      "longest time limit; a number is in seconds");
  parser.option(
      "--priority", "N",
      [&edit](const std::string& text) {
        double factor = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), factor);
        if (code != std::errc{} || end != text.data() + text.size() || !(factor >= 0 && factor <= 1))
          throw error(Kind::invalid, "expected a factor from 0 to 1, got {}", quote(text));
        edit.patch[json::json_pointer{"/policy/priority/queue-factor"}] = factor;
      },
      "factor of the queue, 0 to 1");
  add_limit_option(parser, edit, "--max-running-jobs", "/policy/limits/per-association/max-running-jobs",
                   "running jobs of a user at most: others wait");
  add_limit_option(parser, edit, "--max-nodes-per-assoc", "/policy/limits/per-association/max-nodes",
                   "nodes of a user at most: others wait");
  parser.flag("--default", edit.make_default, "jobs that name no queue go there");
  parser.flag("--force", edit.force, "though jobs wait in queues that are gone by it");
}

std::vector<std::string> queue_names(const json& document) {
  std::vector<std::string> names;
  const auto queues = document.find("queues");
  if (queues == document.end()) return names;
  for (const auto& [name, table] : queues->items()) names.push_back(name);
  return names;
}

void require_queue(const json& document, const std::string& name) {
  const std::vector<std::string> names = queue_names(document);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string near = did_you_mean(name, names);
  throw Error{Kind::not_found, fmt::format("queue {} does not exist", quote(name)),
              names.empty()  ? "no queues are configured: fq account add-queue"
              : near.empty() ? "the queues are " + join(names, ", ")
                             : near};
}

// The queue of jobs that name none; empty: there is none.
std::string default_queue(const json& document) {
  if (document.contains(default_queue_path())) return document[default_queue_path()].get<std::string>();
  const std::vector<std::string> names = queue_names(document);
  return names.size() == 1 ? names.front() : std::string{};
}

// Changes the configuration in force and loads that; `change` throws where it cannot be.
template <typename DoChange>
void reconfigure(const cli::CommonOptions& common, bool force, const DoChange& change) {
  const tools::StoreSession store("fq-account", common);
  const std::string in_force = store.get().ask(request::ConfigRequest{}).document;
  json document = parse_json(in_force, "configuration");
  change(document);
  request::LoadConfigRequest request;
  request.files.push_back({"configuration", dump_json(document)});
  request.force = force;
  request.replaces = in_force;
  for (const request::VanishedQueue& queue : store.get().ask(request).vanished)
    cli::say("fq-account", cli::vanished_line(queue, /*is_loaded=*/true));
}

int edit_queues(int argc, char** argv, std::string_view name, std::string_view summary, bool is_new) {
  cli::CommonOptions common;
  QueueEdit edit;
  cli::OptionParser parser(fmt::format("fq-account {}", name), summary, {"QUEUE", 1, 1});
  parser.example(fmt::format("fq account {} debug --max-nodes-per-job=2 --max-time-per-job=1h", name));
  parser.group("Options");
  add_queue_options(parser, edit);
  cli::add_common_options(parser, common);
  edit.name = parser.parse(argc, argv).front();
  if (!is_new && edit.patch.empty() && !edit.make_default)
    throw Error{Kind::usage, "what is to be changed? give at least one option"};
  reconfigure(common, edit.force, [&](json& document) {
    const std::string before = default_queue(document);
    if (is_new) {
      const std::vector<std::string> names = queue_names(document);
      if (std::find(names.begin(), names.end(), edit.name) != names.end())
        throw error(Kind::refused, "queue {} exists already", quote(edit.name));
    } else {
      require_queue(document, edit.name);
    }
    json& table = document["queues"][edit.name];
    if (table.is_null()) table = json::object();
    table.merge_patch(edit.patch);
    // Of several one is the default: the first one stays it.
    const std::string wanted = edit.make_default ? edit.name : before;
    if (!wanted.empty() && queue_names(document).size() > 1) document[default_queue_path()] = wanted;
  });
  return 0;
}

int show_queues(const cli::CommonOptions& common, const cli::ListingOptions& listing,
                const std::optional<std::string>& wanted) {
  if (const auto told = cli::queue_formats_told(listing)) {
    cli::print(*told);
    return 0;
  }
  cli::check_queue_listing(listing);
  request::QueueOverviewRequest request;
  if (wanted) request.wanted = {*wanted};
  const tools::StoreSession store("fq-account", common);
  cli::print(cli::list_queues(store.get().ask(request).queues, listing));
  return 0;
}

}  // namespace

int add_queue(int argc, char** argv) {
  return edit_queues(argc, argv, "add-queue", "add a queue to the configuration", true);
}

int edit_queue(int argc, char** argv) {
  return edit_queues(argc, argv, "edit-queue", "change a queue in the configuration", false);
}

int delete_queue(int argc, char** argv) {
  cli::CommonOptions common;
  bool force = false;
  cli::OptionParser parser("fq-account delete-queue", "take a queue from the configuration", {"QUEUE", 1, 1});
  parser.example("fq account delete-queue debug");
  parser.group("Options");
  parser.flag("--force", force, "though jobs wait in it");
  cli::add_common_options(parser, common);
  const std::string name = parser.parse(argc, argv).front();
  reconfigure(common, force, [&](json& document) {
    require_queue(document, name);
    document["queues"].erase(name);
    if (default_queue(document) != name) return;
    if (!document["queues"].empty())
      throw Error{
          Kind::refused, fmt::format("queue {} is the default one", quote(name)),
          fmt::format("another first: fq account edit-queue --default {}", queue_names(document).front())};
    document[default_queue_path().parent_pointer()].erase("queue");
  });
  return 0;
}

int view_queue(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  listing.format = "accounts";
  cli::OptionParser parser("fq-account view-queue", "show a queue with its limits", {"QUEUE", 1, 1});
  parser.example("fq account view-queue debug");
  parser.group("Options");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  const std::string name = parser.parse(argc, argv).front();
  return show_queues(common, listing, name);
}

int list_queues(int argc, char** argv) {
  cli::CommonOptions common;
  cli::ListingOptions listing;
  listing.format = "accounts";
  cli::OptionParser parser("fq-account list-queues", "list the queues with their limits");
  parser.example("fq account list-queues");
  parser.group("Options");
  cli::add_listing_options(parser, listing);
  cli::add_common_options(parser, common);
  static_cast<void>(parser.parse(argc, argv));
  return show_queues(common, listing, std::nullopt);
}

}  // namespace fq::tools::account
