#include "cli/frame/own_names.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include <unistd.h>

#include "base/text.h"

namespace fq::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array kCommandNames = std::to_array<std::string_view>(
    {"R",     "account", "alloc",    "batch",        "bulksubmit", "cancel",   "config",  "dump",
     "exec",  "fsck",    "hostlist", "housekeeping", "init",       "job",      "jobs",    "log",
     "pgrep", "pkill",   "priority", "queue",        "report",     "resource", "restore", "run",
     "sched", "sim",     "submit",   "top",          "update",     "uptime"});

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// How much of `text` is the name of a command; 0: none.
std::size_t command_at(std::string_view text) {
  const auto* const end = std::find_if_not(text.begin(), text.end(), is_letter);
  const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  const bool known = std::find(kCommandNames.begin(), kCommandNames.end(), word) != kCommandNames.end();
  return known ? word.size() : 0;
}

// Of `/usr/bin/fq` and what it is a link to: the program that would run.
fs::path program(const fs::path& path) {
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);
  return failure ? path : real;
}

}  // namespace

bool another_fq_comes_first() {
  static const bool another = [] {
    const char* path = std::getenv("PATH");
    std::error_code failure;
    const fs::path self = fs::read_symlink("/proc/self/exe", failure);
    if (path == nullptr || failure) return false;
    const fs::path ours = program(self.parent_path() / "fq");
    for (const std::string_view entry : split(path, ':')) {
      const fs::path candidate = fs::path(entry.empty() ? "." : entry) / "fq";
      if (fs::is_regular_file(candidate, failure) && ::access(candidate.c_str(), X_OK) == 0)
        return program(candidate) != ours;
    }
    return false;
  }();
  return another;
}

std::string with_own_names(std::string_view text) {
  constexpr std::string_view kFq = "fq ";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || (!is_letter(text[at - 1]) && text[at - 1] != '-' && text[at - 1] != '/');
    if (begins && text.substr(at).starts_with(kFq) && command_at(text.substr(at + kFq.size())) > 0) {
      out += "fq-";
      at += kFq.size();
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::string as_it_works(std::string_view text) {
  const bool names_fq = text.find("fq ") != std::string_view::npos;
  return names_fq && another_fq_comes_first() ? with_own_names(text) : std::string{text};
}

}  // namespace fq::cli
