#include "cli/frame/run_tool.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include <fcntl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/frame/job_instance.h"
#include "cli/frame/job_values.h"
#include "cli/frame/locale_text.h"
#include "cli/frame/output.h"
#include "cli/frame/own_names.h"
#include "process/signals/signal_block.h"

namespace fq::cli {
namespace {

constexpr int kOutputClosedCode = 128 + SIGPIPE;

/// Opens /dev/null on the standard descriptors that are closed: for writing as stdin and for reading as the
/// others, so that using them fails with EBADF as it would without.
void fill_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free descriptor is taken, which is fd: the ones below are open by now.
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

int report(std::string_view name, std::string_view message) {
  say(name, message);
  return 1;
}

/// Whether `message` says that the job does not exist in whose instance this runs.
bool names_job_around(std::string_view message) {
  const char* own = std::getenv("FLUX_JOB_ID");
  if (own == nullptr || !store_around_instance()) return false;
  try {
    return message == fmt::format("job {} does not exist", notation::parse_job_id(own));
  } catch (const Error&) {
    return false;
  }
}

/// What the exception in flight means for the process: says it, returns the code.
int report_current(std::string_view name) {
  try {
    throw;
  } catch (const EarlyExit& exit) {
    print(for_locale(as_it_works(exit.text)));
    return exit.code;
  } catch (const Error& failure) {
    print_error(for_locale(as_it_works(error_line(name, failure))));
    return exit_code(failure.kind());
  } catch (const std::bad_alloc&) {  // of impossible sizes: others end the process
    return report(name, "out of memory");
  } catch (const std::exception& fault) {
    return report(name, fmt::format("internal error: {}", fault.what()));
  } catch (const OutputClosed&) {
    return kOutputClosedCode;
  } catch (...) {
    return report(name, "internal error: unknown exception");
  }
}

/// Runs `step`; what it throws is reported, the reporting's own failure too.
int guarded(std::string_view name, const std::function<int()>& step) {
  try {
    return step();
  } catch (...) {
    try {
      return report_current(name);
    } catch (const OutputClosed&) {
      return kOutputClosedCode;
    } catch (const Error& failure) {
      print_error(for_locale(as_it_works(error_line(name, failure))));
      return 1;
    }
  }
}

}  // namespace

std::string error_line(std::string_view name, const Error& failure) {
  const std::string message = as_typed(failure.what());
  if (failure.hint().empty() && failure.kind() == Kind::not_found && names_job_around(failure.what()))
    return fmt::format("{}: {} (this runs in it, in an instance of its own: --outer finds it)\n", name,
                       message);
  if (failure.hint().empty()) return fmt::format("{}: {}\n", name, message);
  return fmt::format("{}: {} ({})\n", name, message, failure.hint());
}

int run_tool(std::string_view name, int argc, char** argv, const std::function<int(int, char**)>& tool) {
  keep_memory_small();
  end_when_out_of_memory(name);
  // A file size limit of the caller is an error to be told, not an end without a word.
  process::ignore_file_size_signal();
  fill_standard_streams();
  const int code = guarded(name, [&] { return tool(argc, argv); });
  const int flushed = guarded(name, [] {
    print({});  // writes out what stdio holds
    return 0;
  });
  return code != 0 ? code : flushed;
}

}  // namespace fq::cli
