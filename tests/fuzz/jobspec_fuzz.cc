// Jobspec over any bytes, as JSON and as YAML: they are refused, or what was read can be written, read again
// and updated.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "document/jobspec/jobspec.h"
#include "fuzz/support.h"

using fq::document::Jobspec;
using fq::fuzz::require;

namespace {

void check(const Jobspec& jobspec) {
  const Jobspec again = Jobspec::parse(jobspec.canonical());
  require(again.json() == jobspec.json());
  require(again.counts() == jobspec.counts());
  require(again.ntasks() == jobspec.ntasks() && again.ntasks() > 0);
  require(again.ncores() >= again.counts().nslots);
  require(!again.command().empty() && !again.name().empty());
  Jobspec updated = again;
  updated.apply_update({{"attributes.system.duration", 1}});
  require(updated.duration() == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  for (Jobspec (*read)(std::string_view) : {&Jobspec::parse, &Jobspec::from_yaml}) {
    if (const auto jobspec = fq::fuzz::read_or_refuse([&] { return read(text); })) check(*jobspec);
  }
  return 0;
}
