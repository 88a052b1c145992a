#include "document/jobspec/soft_limit.h"

#include <array>

#include <sys/resource.h>

namespace fq::document {
namespace {

constexpr std::array<RlimitName, 15> kLimitNames{{
    {"cpu", RLIMIT_CPU},
    {"fsize", RLIMIT_FSIZE},
    {"data", RLIMIT_DATA},
    {"stack", RLIMIT_STACK},
    {"core", RLIMIT_CORE},
    {"nofile", RLIMIT_NOFILE},
    {"as", RLIMIT_AS},
    {"rss", RLIMIT_RSS},
    {"nproc", RLIMIT_NPROC},
    {"memlock", RLIMIT_MEMLOCK},
    {"msgqueue", RLIMIT_MSGQUEUE},
    {"nice", RLIMIT_NICE},
    {"rtprio", RLIMIT_RTPRIO},
    {"rttime", RLIMIT_RTTIME},
    {"sigpending", RLIMIT_SIGPENDING},
}};

}  // namespace

std::span<const RlimitName> rlimit_names() {
  return kLimitNames;
}

std::optional<int> rlimit_by_name(std::string_view name) {
  if (name == "ofile") return RLIMIT_NOFILE;
  for (const RlimitName& each : kLimitNames) {
    if (each.name == name) return each.resource;
  }
  return std::nullopt;
}

}  // namespace fq::document
