// fq-restore: makes a store of what fq-dump wrote.

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "cli/frame/common_options.h"
#include "cli/frame/option_parser.h"
#include "cli/frame/output.h"
#include "commands.h"
#include "frame/as_store_owner.h"
#include "frame/store_session.h"
#include "manager/dump/dump.h"
#include "manager/engine/adopt.h"
#include "manager/site/initialize.h"

namespace {

using namespace fq;

int restore(const manager::RestoreRequest& request, const cli::CommonOptions& common, bool quiet) {
  const manager::DumpCounts counts = manager::restore(request, manager::Credential::of_process());
  const tools::StoreSession store("fq-restore", common);
  const std::uint64_t failed = manager::adopt(store.local());
  manager::note_restore(store.local());
  if (quiet) return 0;
  cli::print_line("store     " + request.store);
  cli::print_line(
      fmt::format("restored  {} and {}", counted(counts.entries, "record"), counted(counts.files, "file")));
  if (failed > 0)
    cli::print_line(fmt::format("failed    {} that ran where it was dumped", counted(failed, "job")));
  return 0;
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  bool quiet = false;
  cli::OptionParser parser("fq-restore", "make a store of what fq dump wrote, where there is none",
                           {"FILE|-", 1, 1});
  parser.example("fq restore --store /scratch/fq /backup/fq-monday.dump");
  parser.example("zstd -dc /backup/fq-monday.dump.zst | fq restore -");
  parser.group("How");
  parser.flag("--quiet", quiet, "print nothing");
  cli::add_common_options(parser, common);
  const std::string file = parser.parse(argc, argv).front();
  if (common.host)
    throw Error{Kind::combination, "a store is restored on this machine", "leave out --host, and FQ_HOST"};
  const bool from_stdin = file == "-";
  manager::RestoreRequest request;
  request.store = manager::locate_store(common.store).path;
  request.name = from_stdin ? "standard input" : file;
  UniqueFd opened;
  if (!from_stdin) opened = open_file(file, O_RDONLY);
  request.fd = from_stdin ? STDIN_FILENO : opened.get();
  common.store = request.store;
  return tools::as_store_owner("fq-restore", common, [&] { return restore(request, common, quiet); });
}

}  // namespace

int fq::tools::command::restore(int argc, char** argv) {
  return ::run(argc, argv);
}
