#include "cli/submit/bulk_options.h"

#include "base/error.h"
#include "base/text.h"

namespace fq::cli {
namespace {

constexpr std::string_view kPlaceholder = "{cc}";

/// Calls visit(text) for what stands between placeholders and found() for each of them.
template <typename Visit, typename Found>
void scan(std::string_view text, Visit visit, Found found) {
  std::size_t depth = 0;  // of {{ … }}
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("{{")) {
      ++depth;
      at += 2;
    } else if (depth > 0 && rest.starts_with("}}")) {
      --depth;
      at += 2;
    } else if (depth == 0 && rest.starts_with(kPlaceholder)) {
      visit(text.substr(from, at - from));
      found();
      at += kPlaceholder.size();
      from = at;
    } else {
      ++at;
    }
  }
  visit(text.substr(from));
}

}  // namespace

void add_bulk_options(OptionParser& parser, BulkOptions& options) {
  add_submit_options(parser, options.submit);
  parser.group("Copies, and what follows");
  parser.option("--cc", "IDSET", options.cc, "a job for each id, which {cc} is");
  parser.option("--bcc", "IDSET", options.bcc, "");
  parser.flag(
      "--wait", [&options] { options.follow.wait_event = "clean"; }, "wait; exit with the largest code");
  parser.option("--wait-event", "NAME", options.follow.wait_event,
                "wait for an event; exec.NAME: of the shell");
  parser.flag("--watch", options.watch, "show the jobs' output, and wait");
  parser.option("--log", "FILE", options.follow.log, "for ids, output and messages; {cc}, {{id}}");
  parser.option("--log-stderr", "FILE", options.follow.log_stderr, "");
  parser.flag("--progress", options.progress, "show a bar; jobs a second in it");
  parser.flag("--jps", options.jps, "");
  parser.rarely({"--env", "--urgency", "--input", "--wait", "--wait-event", "--log", "--progress"});
}

void check_bulk_options(const BulkOptions& options) {
  if (options.jps && !options.progress) throw Error{Kind::combination, "--jps needs --progress"};
}

void for_each_text(BulkOptions& options, const VisitText& visit) {
  for_each_text(options.submit, visit);
  const std::pair<std::string_view, std::optional<std::string>*> own[] = {
      {"--cc=", &options.cc},
      {"--bcc=", &options.bcc},
      {"--log=", &options.follow.log},
      {"--log-stderr=", &options.follow.log_stderr},
      {"--wait-event=", &options.follow.wait_event},
  };
  for (const auto& [option, text] : own) {
    if (*text) visit(option, **text);
  }
}

std::optional<notation::Idset> copy_numbers(const BulkOptions& options) {
  if (!options.cc && !options.bcc) return std::nullopt;
  if (options.cc && options.bcc) throw Error{Kind::combination, "--cc cannot be used with --bcc"};
  const std::string_view option = options.cc ? "--cc" : "--bcc";
  notation::Idset ids;
  try {
    ids = notation::Idset::decode(options.cc ? *options.cc : *options.bcc);
  } catch (const Error& failure) {
    throw Error{Kind::usage, fmt::format("{}: {}", option, failure.what()), failure.hint()};
  }
  if (ids.empty()) throw error(Kind::usage, "{}: the set of ids is empty", option);
  if (ids.count() > kMaxCopies) throw error(Kind::usage, "{}: more than {} ids", option, kMaxCopies);
  return ids;
}

bool has_copy_number(std::string_view text) {
  bool has = false;
  scan(
      text, [](std::string_view) {}, [&] { has = true; });
  return has;
}

std::vector<std::string> split_at_copy_number(std::string_view text) {
  std::vector<std::string> pieces;
  scan(
      text, [&](std::string_view piece) { pieces.emplace_back(piece); }, [] {});
  return pieces;
}

std::string with_copy_number(std::string_view text, std::uint32_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  scan(
      text, [&](std::string_view piece) { out += piece; }, [&] { out += digits; });
  return out;
}

BulkOptions with_copy_number(const BulkOptions& options, std::uint32_t number) {
  BulkOptions copy = options;
  const auto replace = [&](std::string_view, std::string& text) { text = with_copy_number(text, number); };
  for_each_text(copy, replace);
  for (std::string& word : copy.submit.command) replace({}, word);
  return copy;
}

}  // namespace fq::cli
