// fq-topology: what this machine has, or one whose topology hwloc wrote down, as one line of R (RFC 20). It
// is run by the commands that look at hardware, so that no other loads hwloc and the libraries behind it.

#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "base/error.h"
#include "base/memory.h"
#include "process/machine/hwloc_topology.h"

namespace {

using namespace fq;

document::ResourceSet found(const char* option) {
  if (option == nullptr) return process::hwloc_resources(true);
  if (std::strcmp(option, "--whole") == 0) return process::hwloc_resources(false);
  return process::hwloc_resources_in(
      {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()});
}

}  // namespace

int main(int argc, char** argv) {
  const char* option = argc > 1 ? argv[1] : nullptr;
  if (argc > 2 ||
      (option != nullptr && std::strcmp(option, "--whole") != 0 && std::strcmp(option, "--xml") != 0)) {
    std::fputs("fq-topology: expected nothing, --whole or --xml\n", stderr);
    return 2;
  }
  end_when_out_of_memory("fq-topology");
  try {
    std::printf("%s\n", found(option).encode().c_str());
    return std::fflush(stdout) == 0 ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "fq-topology: %s\n", failure.what());
    return 1;
  }
}
