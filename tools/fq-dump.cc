// fq-dump: writes all that is true in a store to a file.

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
#include "frame/store_session.h"
#include "manager/dump/dump.h"

namespace {

using namespace fq;

// Whole and on the disk, or not there.
manager::DumpCounts dump_to_file(const manager::Session& session, const std::string& path) {
  if (::access(path.c_str(), F_OK) == 0) {
    throw Error{Kind::refused, fmt::format("the file {} exists", quote(path)),
                "a dump is never overwritten: name a new one"};
  }
  const UniqueFd fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
  try {
    const manager::DumpCounts counts = manager::dump(session, fd.get(), path);
    sync_file(path);
    return counts;
  } catch (...) {
    ::unlink(path.c_str());
    throw;
  }
}

int run(int argc, char** argv) {
  cli::CommonOptions common;
  bool quiet = false;
  cli::OptionParser parser("fq-dump", "write a store, as it is now, to a file or a pipe, while it is used",
                           {"FILE|-", 1, 1});
  parser.example("fq dump /backup/fq-monday.dump");
  parser.example("fq dump - | zstd >/backup/fq-monday.dump.zst");
  parser.group("How");
  parser.flag("--quiet", quiet, "print nothing");
  cli::add_common_options(parser, common);
  const std::string file = parser.parse(argc, argv).front();
  const bool to_stdout = file == "-";
  if (to_stdout && ::isatty(STDOUT_FILENO) == 1)
    throw Error{Kind::usage, "a dump is no text: a terminal cannot show it", "fq dump FILE"};
  const tools::StoreSession store("fq-dump", common);
  if (store.is_behind_gate())
    throw error(Kind::permission, "the store {} is dumped by its owner alone", quote(store.path()));
  const manager::DumpCounts counts = to_stdout
                                         ? manager::dump(store.local(), STDOUT_FILENO, "standard output")
                                         : dump_to_file(store.local(), file);
  if (!quiet && !to_stdout) {
    cli::print_line(fmt::format("dumped {} and {} to {}", counted(counts.entries, "record"),
                                counted(counts.files, "file"), quote(file)));
  }
  return 0;
}

}  // namespace

int fq::tools::command::dump(int argc, char** argv) {
  return ::run(argc, argv);
}
