#include "document/jobspec/shell_option_values.h"

#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "notation/fsd.h"

namespace fq::document {
namespace {

constexpr std::uint64_t kMaxOutputLimit = std::uint64_t{1} << 40;

/// `PATH: missing key 'path'`: with it the options are right.
Error path_missing(const JsonAt& at) {
  return Error{Kind::combination, at.fail("missing key 'path'").what()};
}

/// A number with an optional suffix k, K, M or G.
std::uint64_t as_size(const JsonAt& at) {
  if (at.value().is_number()) return static_cast<std::uint64_t>(at.as_integer(0, kMaxOutputLimit));
  std::string_view text = at.as_string();
  double factor = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k':
      case 'K':
        factor = 1024;
        break;
      case 'M':
        factor = 1024.0 * 1024;
        break;
      case 'G':
        factor = 1024.0 * 1024 * 1024;
        break;
      default:
        break;
    }
    if (factor > 1) text.remove_suffix(1);
  }
  const std::string number{text};
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0' || !(value >= 0) ||
      value * factor > static_cast<double>(kMaxOutputLimit)) {
    throw at.fail("expected a size as `50M`, with k, M or G");
  }
  return static_cast<std::uint64_t>(value * factor);
}

document::OutputRanks parse_ranks(const JsonAt& at) {
  try {
    if (at.value().is_number())
      return document::OutputRanks::decode(std::to_string(at.as_integer(0, INT32_MAX)));
    return document::OutputRanks::decode(at.as_string());
  } catch (const Error& failure) {
    throw failure.within(at.path());
  }
}

}  // namespace

Error unknown_word(const JsonAt& at, std::string_view expected, std::string_view got,
                   const std::vector<std::string>& words) {
  return Error{Kind::invalid, at.fail(fmt::format("{}, got {}", expected, quote(got))).what(),
               did_you_mean(got, words)};
}

bool as_switch(const JsonAt& at) {
  if (at.value().is_boolean()) return at.as_boolean();
  if (at.value().is_number_integer()) return at.as_integer() != 0;
  throw at.fail("expected true or false");
}

double as_seconds(const JsonAt& at) {
  if (at.value().is_number()) {
    const double seconds = at.as_number();
    if (seconds < 0) throw at.fail("expected a duration that is not negative");
    return seconds;
  }
  try {
    return notation::parse_fsd(at.as_string());
  } catch (const Error& failure) {
    throw failure.within(at.path());
  }
}

namespace {

void parse_stream(const JsonAt& at, StreamOption& stream) {
  at.object();
  const auto type = at.find("type");
  if (type) {
    const std::string& name = type->as_string();
    if (name != "kvs" && name != "file") {
      throw type->fail(fmt::format("expected kvs or file, got {}", quote(name)));
    }
  }
  if (const auto path = at.find("path")) {
    stream.path = path->as_string();
    if (stream.path.find('\0') != std::string::npos) throw path->fail("a path has no NUL character");
  }
  if (type && type->as_string() == "kvs") stream.path.clear();
  if (type && type->as_string() == "file" && stream.path.empty()) throw path_missing(at);
  if (const auto label = at.find("label")) stream.label = as_switch(*label);
  if (const auto buffer = at.find("buffer")) {
    if (const auto kind = buffer->find("type")) {
      const std::string& name = kind->as_string();
      if (name != "none" && name != "line") {
        throw kind->fail(fmt::format("expected none or line, got {}", quote(name)));
      }
      stream.line_buffered = name == "line";
    }
  }
}

}  // namespace

void parse_output(const JsonAt& at, ShellOptions& options) {
  at.object();
  if (const auto timeout = at.find("batch-timeout")) static_cast<void>(as_seconds(*timeout));
  if (const auto mode = at.find("mode")) {
    const std::string& name = mode->as_string();
    if (name != "truncate" && name != "append") {
      throw unknown_word(*mode, "expected truncate or append", name, {"truncate", "append"});
    }
    options.append = name == "append";
  }
  if (const auto limit = at.find("limit")) options.output_limit = as_size(*limit);
  if (const auto out = at.find("stdout")) parse_stream(*out, options.out);
  // But for its buffering, stderr goes the way of stdout unless it is told otherwise.
  const bool line_buffered = options.err.line_buffered;
  options.err = options.out;
  options.err.line_buffered = line_buffered;
  if (const auto err = at.find("stderr")) parse_stream(*err, options.err);
}

void parse_input(const JsonAt& at, ShellOptions& options) {
  at.object();
  if (const auto timeout = at.find("batch-timeout")) static_cast<void>(as_seconds(*timeout));
  const auto input = at.find("stdin");
  if (!input) return;
  input->object();
  const auto path = input->find("path");
  std::string type = path ? "file" : "service";
  if (const auto named = input->find("type")) type = named->as_string();
  if (type == "file") {
    if (!path) throw path_missing(*input);
    options.stdin_path = path->as_string();
    if (options.stdin_path.find('\0') != std::string::npos) throw path->fail("a path has no NUL character");
  } else if (type == "service") {
    options.stdin_service = true;
    options.stdin_ranks.all = true;
    if (const auto ranks = input->find("ranks")) options.stdin_ranks = parse_ranks(*ranks);
  } else {
    throw input->at("type").fail(fmt::format("expected file or service, got {}", quote(type)));
  }
}

std::optional<PtyOption> parse_pty(const JsonAt& at) {
  PtyOption pty;
  pty.ranks.all = true;
  if (!at.value().is_object()) return as_switch(at) ? std::optional{pty} : std::nullopt;
  if (const auto interactive = at.find("interactive")) pty.interactive = as_switch(*interactive);
  if (pty.interactive) {
    pty.ranks = document::OutputRanks::decode("0");
    pty.capture = false;
  }
  if (const auto ranks = at.find("ranks")) pty.ranks = parse_ranks(*ranks);
  if (const auto capture = at.find("capture")) pty.capture = as_switch(*capture);
  const auto take_size = [&at](const char* name, std::uint16_t& size) {
    if (const auto given = at.find(name)) size = static_cast<std::uint16_t>(given->as_integer(1, UINT16_MAX));
  };
  take_size("rows", pty.rows);
  take_size("columns", pty.columns);
  if (pty.interactive && !pty.ranks.contains(0)) {
    throw at.at("ranks").fail("the interactive terminal is task 0's, which is not among these");
  }
  return pty;
}

}  // namespace fq::document
