// fq-bulksubmit: stores a job for each of many inputs, and prints the ids.

#include "cli/frame/common_options.h"
#include "cli/frame/output.h"
#include "cli/submit/bulk_run.h"
#include "commands.h"
#include "frame/host.h"
#include "frame/store_session.h"

namespace {

using namespace fq;

void print_rows(const cli::BulkPlan& plan) {
  for (std::size_t row = 0; row < plan.rows().size(); ++row) {
    cli::print_line("bulksubmit: submit " + plan.rows().show(row));
  }
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  cli::BulkOptions options;
  cli::InputMethods methods;
  cli::Separator separator;
  bool shuffle = false;
  cli::OptionParser parser(
      "fq-bulksubmit", "submit a job for each input and print their ids",
      {"[COMMAND [ARG...]] [::: INPUT...]", 0, cli::Operands::kUnlimited, /*options_first=*/true});
  parser.example("fq bulksubmit -n {0} ./scale {1} ::: 1 2 4 ::: small large");
  parser.example("ls *.png | fq bulksubmit convert {} {.%}.jpg");
  cli::add_bulk_options(parser, options);
  parser.group("Inputs");
  parser.option(
      "--sep", "TEXT", [&](const std::string& text) { separator = cli::parse_separator(text); },
      "what separates inputs in files (\\n); none: blanks");
  parser.option(
      "--define", "NAME=CODE", [&](const std::string& text) { cli::define_method(methods, text); },
      "method {.NAME}, from input x: half='int(x)//2'");
  parser.flag("--shuffle", shuffle, "submit in random order");
  parser.rarely({"--dependency", "--sep", "--define", "--shuffle"});
  cli::add_common_options(parser, common);
  const std::vector<std::string> operands = parser.parse(argc, argv);
  cli::check_bulk_options(options);

  cli::BulkInputs inputs(operands, separator, [](const std::string& path) { return cli::read_input(path); });
  cli::BulkPlan plan(options, std::move(inputs), methods, tools::surroundings(common));
  if (shuffle) plan.shuffle();
  plan.check();
  if (options.submit.dry_run) {
    print_rows(plan);
    return 0;
  }
  const tools::StoreSession store("fq-bulksubmit", common, tools::MissingStore::create);
  return cli::run_bulk("fq-bulksubmit", store.get(), plan, options);
}

}  // namespace

int fq::tools::command::bulksubmit(int argc, char** argv) {
  return ::run(argc, argv);
}
