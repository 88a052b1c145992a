#include "cli/submit/batch.h"

#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/shell_words.h"
#include "base/text.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/run_tool.h"
#include "cli/submit/submit_hints.h"
#include "document/jobspec/directives.h"

namespace fq::cli {
namespace {

constexpr std::string_view kOutput = "fq-{{id}}.out";

struct Script {
  std::string name;    ///< for messages
  std::string source;  ///< what was read, in which directives may stand
  std::string text;    ///< what runs
};

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::vector<std::string> parse_command_line(const std::vector<std::string>& arguments, BatchOptions& options,
                                            bool& wrap) {
  OptionParser parser("fq-batch", "submit a script and print the job's id",
                      {"[SCRIPT [ARG...]]", 0, Operands::kUnlimited, /*options_first=*/true});
  parser.example("fq batch -n4 -t 1h train.sh");
  parser.example("fq batch -N1 --wrap make -j check");
  add_submit_options(parser, options.submit, Sizing::slots);
  parser.option("--conf", "FILE", options.submit.conf, "configure the job's own instance");
  add_dump_option(parser, options.submit);
  parser.rarely({"--conf", "--dump", "--env"});
  parser.flag("--wrap", wrap, "run the operands, or stdin, with /bin/sh");
  add_common_options(parser, options.common);
  return parser.parse(arguments);
}

/// Directives set the same options, and nothing else.
void parse_directive(const document::Directive& directive, BatchOptions& options) {
  OptionParser parser("fq-batch", "");
  add_submit_options(parser, options.submit, Sizing::slots);
  parser.option("--conf", "FILE", options.submit.conf, "");
  add_dump_option(parser, options.submit);
  add_common_options(parser, options.common);
  try {
    static_cast<void>(parser.parse(directive.arguments));
  } catch (const EarlyExit&) {
    throw Error{Kind::usage, "--help and --version say nothing of a job"};
  }
}

/// Throws what `check` says of the line's values; what they say together may still stand in other lines.
void check_values(const document::Directive& directive, const CheckOptions& check) {
  BatchOptions alone;
  parse_directive(directive, alone);
  if (!alone.submit.ntasks && !alone.submit.nodes) alone.submit.ntasks = "1";
  if (!alone.submit.cwd) alone.submit.cwd = "/";
  alone.submit.command = {std::string{kBatchScript}};
  try {
    check(alone.submit);
  } catch (const Error& failure) {
    if (failure.kind() != Kind::combination) throw;
  }
}

void apply_directives(const Script& script, BatchOptions& options, const CheckOptions& check) {
  try {
    for (const document::Directive& directive : document::parse_directives(script.source)) {
      try {
        parse_directive(directive, options);
        if (check) check_values(directive, check);
        std::string words;
        for (const std::string& word : directive.arguments) words += ' ' + shell_quote(word);
        options.directives.push_back(fmt::format("{}: line {}:{}", script.name, directive.line, words));
      } catch (const Error& failure) {
        throw failure.within(fmt::format("line {}", directive.line));
      }
    }
  } catch (const Error& failure) {
    throw failure.within(script.name);
  }
}

void check_script(const Script& script) {
  if (!is_valid_utf8(script.text) || script.text.find('\0') != std::string::npos) {
    throw error(Kind::invalid, "{}: not a script: it is not UTF-8 text", script.name);
  }
  if (!script.text.starts_with("#!")) {
    throw Error{Kind::invalid, fmt::format("{}: a script begins with '#!' and an interpreter", script.name),
                "--wrap puts '#!/bin/sh' in front"};
  }
  const std::string_view first_line = std::string_view{script.text}.substr(0, script.text.find('\n'));
  if (first_line.ends_with('\r')) {
    throw error(Kind::invalid, "{}: the lines end in carriage returns, which no interpreter takes",
                script.name);
  }
}

Script read_script(const std::vector<std::string>& operands, bool wrap, const ReadInput& read) {
  constexpr std::string_view kShell = "#!/bin/sh\n";
  if (wrap && !operands.empty()) return {"--wrap", "", fmt::format("{}{}\n", kShell, join(operands, " "))};
  Script script;
  const std::string path = operands.empty() ? "-" : operands[0];
  script.name = path == "-" ? "standard input" : quote(path);
  script.source = read(path);
  if (trim(script.source).empty()) throw error(Kind::invalid, "{}: the script is empty", script.name);
  script.text = wrap ? fmt::format("{}{}", kShell, script.source) : script.source;
  return script;
}

std::string job_name(const std::vector<std::string>& operands, bool wrap) {
  if (operands.empty() || (!wrap && operands[0] == "-")) return "batch";
  const std::string& first = operands[0];
  const std::string name = base_name(wrap ? first.substr(0, first.find_first_of(" \t\n")) : first);
  return name.empty() ? "batch" : name;
}

}  // namespace

BatchOptions parse_batch(const std::vector<std::string>& arguments, const ReadInput& read,
                         const CheckOptions& check) {
  BatchOptions alone;
  bool wrap = false;
  std::vector<std::string> operands = parse_command_line(arguments, alone, wrap);
  Script script = read_script(operands, wrap, read);
  check_script(script);

  BatchOptions options;
  apply_directives(script, options, check);
  static_cast<void>(parse_command_line(arguments, options, wrap));
  SubmitOptions& submit = options.submit;
  submit.command = {std::string{kBatchScript}};
  if (!wrap && !operands.empty()) {
    submit.command.insert(submit.command.end(), operands.begin() + 1, operands.end());
  }
  if (!submit.job_name) submit.job_name = job_name(operands, wrap);
  if (!submit.output) submit.output = kOutput;
  options.hint = foreign_directives(script.name, script.source);
  submit.script = std::move(script.text);
  return options;
}

}  // namespace fq::cli
