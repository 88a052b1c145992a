#include "frame/host.h"

#include <cstdlib>

#include "base/error.h"
#include "base/file.h"
#include "base/shell_words.h"
#include "base/text.h"
#include "cli/frame/job_instance.h"
#include "process/start/connected_child.h"

namespace fq::tools {
namespace {

// Who logs in without a terminal has no more on PATH than this.
constexpr std::string_view kProgram = "fqueue";

}  // namespace

std::vector<std::string> on_host(const std::string& host, std::string_view arguments) {
  if (host.empty() || host.starts_with('-') || !is_valid_utf8(host))
    throw error(Kind::usage, "--host: expected the name of a host, got {}", quote(host));
  const char* ssh = std::getenv("FQ_SSH");
  return {ssh != nullptr && *ssh != '\0' ? ssh : "ssh", host, fmt::format("{} door{}", kProgram, arguments)};
}

std::string store_on_host(const cli::CommonOptions& options) {
  // The instance of the job in which this runs is of this machine.
  if (!options.store || cli::is_job_instance(*options.store)) return {};
  if (!options.store->starts_with('/'))
    throw error(Kind::usage, "--store: of another machine an absolute path is expected, got {}",
                quote(*options.store));
  return " --store " + shell_quote(*options.store);
}

cli::Surroundings surroundings(const cli::CommonOptions& options) {
  cli::Surroundings surroundings = cli::capture_surroundings();
  if (!options.host) return surroundings;
  constexpr std::size_t kMost = std::size_t{4} << 20;
  const UniqueFd there = process::start_connected(on_host(*options.host, " --surroundings"));
  const std::string text = read_all(there.get(), *options.host, kMost);
  if (text.empty()) throw nobody_at(*options.host);
  try {
    cli::come_from(surroundings, text);
  } catch (const Error& failure) {
    throw failure.within(*options.host);
  }
  return surroundings;
}

Error nobody_at(const std::string& host) {
  return Error{Kind::unavailable, host + ": no fq has answered there",
               fmt::format("what ssh said is above; {} must be on the PATH of a login", kProgram)};
}

}  // namespace fq::tools
