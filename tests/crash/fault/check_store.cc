// check_store STORE: prints what is wrong with a store, a line each; exits with 1 if anything is.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "base/clock.h"
#include "manager/check/fsck.h"
#include "manager/engine/session.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    const fq::SystemClock clock;
    fq::manager::Session session;
    session.store = argv[1];
    session.command = "check_store";
    session.clock = &clock;
    session.caller = fq::manager::Credential::of_process();
    std::vector<std::string> faults;
    fq::manager::query(
        session, [&](const fq::store::Reader& reader) { faults = fq::manager::check_whole_store(reader); });
    for (const std::string& fault : faults) std::printf("%s\n", fault.c_str());
    return faults.empty() ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "check_store: %s\n", failure.what());
    return 2;
  }
}
