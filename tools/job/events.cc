// fq-job eventlog, wait-event: what happened to a job, and waiting until something does.

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/follow/event_follower.h"
#include "cli/follow/event_format.h"
#include "cli/frame/common_options.h"
#include "cli/frame/damaged_option.h"
#include "cli/frame/job_values.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "door/door.h"
#include "frame/store_session.h"
#include "job/commands.h"
#include "notation/fsd.h"
#include "request/byte_stream.h"
#include "request/document.h"
#include "request/wait.h"

namespace fq::tools::job {
namespace {

struct EventOptions {
  cli::EventFormat format = cli::EventFormat::text;
  cli::EventTime time = cli::EventTime::raw;
  bool human = false;
  std::string path = "eventlog";
};

void add_event_options(cli::OptionParser& parser, EventOptions& options) {
  parser.group("Output");
  parser.option(
      "-f,--format", "FORMAT",
      [&](const std::string& value) { options.format = cli::parse_event_format(value); }, "text or json");
  parser.option(
      "-T,--time-format", "FORMAT",
      [&](const std::string& value) { options.time = cli::parse_event_time(value); },
      "raw, iso, offset or human");
  parser.flag("-H,--human", options.human, "times as people read them");
  parser.option("-p,--path", "NAME", options.path, "another log: exec, output, input");
}

cli::EventPrinter make_printer(const EventOptions& options, const cli::CommonOptions& common) {
  return {options.human ? cli::EventFormat::text : options.format,
          options.human ? cli::EventTime::human : options.time, cli::use_color(common.color, STDOUT_FILENO)};
}

void follow(const door::Door& door, notation::JobId id, const std::string& path, cli::EventPrinter printer) {
  cli::EventFollower follower(door, id, path, cli::EventFollower::Missing::wait);
  document::Event event;
  while (follower.next(event, request::kNoTimeout) == cli::EventFollower::Next::event) {
    std::string line;
    printer.append(line, event);
    cli::print(line);
  }
}

/// KEY=VALUE that an event's context must have: the value as JSON, or the text itself of a string.
struct ContextMatch {
  std::string key, value;

  explicit ContextMatch(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw error(Kind::usage, "expected KEY=VALUE, got {}", quote(text));
    }
    key = text.substr(0, equals);
    value = text.substr(equals + 1);
  }
  [[nodiscard]] bool matches(const document::Event& event) const {
    if (!event.context.is_object()) return false;
    const auto member = event.context.find(key);
    if (member == event.context.end()) return false;
    if (member->is_string() && member->get_ref<const std::string&>() == value) return true;
    return dump_json(*member) == value;
  }
};

}  // namespace

int eventlog(int argc, char** argv) {
  cli::CommonOptions common;
  EventOptions options;
  bool follows = false;
  cli::OptionParser parser("fq-job eventlog", "print a job's event log", {"ID", 1, 1});
  parser.example("fq job eventlog -H ƒ2GMuTnf");
  parser.example("fq job eventlog -F -p exec ƒ2GMuTnf");
  add_event_options(parser, options);
  parser.flag("-F,--follow", follows, "go on with what comes until the job is inactive");
  cli::add_common_options(parser, common, "-L,--color");
  cli::add_damaged_option(parser, common);
  const auto operands = parser.parse(argc, argv);
  const notation::JobId id = cli::parse_job_id(operands[0]);
  const std::string path = cli::parse_log_path(options.path);
  const tools::StoreSession store("fq-job", common);
  cli::EventPrinter printer = make_printer(options, common);
  if (follows) {
    follow(store.get(), id, path, printer);
    return 0;
  }
  request::DocumentRequest request{id, path};
  request.repaired = true;
  request::ByteStream document = store.get().ask(request).bytes.value();
  std::string unread;
  const auto print_events = [&](std::string_view text) {
    std::string out;
    for (const document::Event& event : document::decode_eventlog(text)) printer.append(out, event);
    cli::print(out);
  };
  for (std::string_view piece; !(piece = document.read()).empty();) {
    unread += piece;
    const std::string_view whole = document::whole_lines(unread);
    print_events(whole);
    unread.erase(0, whole.size());
  }
  // The log of a running guest may end in a line that is still being written.
  if (path == "eventlog") print_events(unread);
  return 0;
}

int wait_event(int argc, char** argv) {
  cli::CommonOptions common;
  EventOptions options;
  double timeout_s = request::kNoTimeout;
  std::optional<ContextMatch> match;
  std::uint64_t count = 1;
  bool verbose = false, quiet = false, wait_create = false;
  cli::OptionParser parser("fq-job wait-event", "wait for an event of a job and print it",
                           {"ID EVENT", 2, 2});
  parser.example("fq job wait-event ƒ2GMuTnf start");
  parser.example("fq job wait-event -m severity=0 ƒ2GMuTnf exception");
  parser.group("Which event");
  parser.option(
      "-m,--match-context", "KEY=VAL", [&](const std::string& value) { match.emplace(value); },
      "one whose context has this");
  parser.option(
      "-c,--count", "N",
      [&](const std::string& value) {
        const auto number = parse_u64(value);
        if (!number || *number == 0) throw error(Kind::usage, "expected 1 or more, got {}", quote(value));
        count = *number;
      },
      "the Nth such one (1)");
  parser.option(
      "-t,--timeout", "FSD", [&](const std::string& value) { timeout_s = notation::parse_fsd(value); },
      "give up after that long, with exit code 124");
  parser.flag("-W,--waitcreate", wait_create, "with -p: wait for a log that is not there yet");
  add_event_options(parser, options);
  parser.flag("-v,--verbose", verbose, "print those that come before it, too");
  parser.flag("-q,--quiet", quiet, "do not print it");
  cli::add_common_options(parser, common, "-L,--color");
  const auto operands = parser.parse(argc, argv);
  const notation::JobId id = cli::parse_job_id(operands[0]);
  const std::string& name = operands[1];
  const tools::StoreSession store("fq-job", common);
  const door::Door& door = store.get();
  const double deadline = door.clock().boot_time() + timeout_s;

  cli::EventPrinter printer = make_printer(options, common);
  cli::EventFollower follower(
      door, id, cli::parse_log_path(options.path),
      wait_create ? cli::EventFollower::Missing::wait : cli::EventFollower::Missing::refuse);
  if (const std::string hint = cli::event_hint(name); !hint.empty() && ::isatty(STDERR_FILENO) == 1) {
    cli::say("fq-job", fmt::format("waiting for event {} ({})", quote(name), hint));
  }
  std::uint64_t seen = 0;
  // What the log has of it, for who gives up.
  const auto had = [&] {
    const std::string with = match ? fmt::format(" with {}={}", match->key, match->value) : "";
    return seen == 0 ? fmt::format("no event {}{}", quote(name), with)
                     : fmt::format("{} of {} events {}{}", seen, count, quote(name), with);
  };
  document::Event event;
  for (;;) {
    switch (follower.next(event, deadline)) {
      case cli::EventFollower::Next::timeout:
        throw Error{Kind::timeout, fmt::format("job {} has had {} within {} s", id, had(), timeout_s),
                    cli::event_hint(name)};
      case cli::EventFollower::Next::end:
        throw Error{Kind::refused, fmt::format("job {} is inactive and had {}", id, had()),
                    cli::event_hint(name)};
      case cli::EventFollower::Next::event:
        break;
    }
    if (event.name == name && (!match || match->matches(event))) ++seen;
    const bool found = seen == count;
    std::string line;
    if (found ? !quiet : verbose) {
      printer.append(line, event);
    } else {
      printer.skip(event);
    }
    cli::print(line);
    if (found) return 0;
  }
}

}  // namespace fq::tools::job
