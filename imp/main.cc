// fq-imp: root's file, setuid. Signs what users ask to be run, for the user who calls it, and for the batch
// system's user runs what was signed, as the user who signed it, and nothing else.

#include <new>
#include <string>
#include <vector>

#include <sodium.h>

#include "caller.h"
#include "exec.h"
#include "fd.h"
#include "kill.h"
#include "sign.h"
#include "signature/refused.h"

namespace {

using namespace fq::imp;

constexpr int kRefused = 1;  // it must not be
constexpr int kUsage = 2;
constexpr int kTryAgain = 75;  // it could not be: nothing has run (EX_TEMPFAIL)
constexpr char kUsageText[] = "expected sign, exec or kill: it is called by fq alone";

void run(const Caller& caller, const std::string& verb, const std::vector<std::string>& arguments) {
  if (verb == "sign") {
    sign(caller, arguments);
  } else if (verb == "kill") {
    kill(caller, arguments);
  } else if (verb == "exec" && arguments.empty()) {
    exec(caller);
  } else {
    throw fq::signature::Refused(kUsageText);
  }
}

int fail(const Caller& caller, int code, const std::string& message) {
  tell_caller(caller, "fq-imp: " + message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  Caller caller{::getuid(), ::getgid()};
  try {
    caller = shed_caller();
    if (::sodium_init() < 0) throw Failed("cannot use libsodium", EIO);
    if (argc < 2) return fail(caller, kUsage, kUsageText);
    run(caller, argv[1], {argv + 2, argv + argc});
    return 0;
  } catch (const fq::signature::Refused& refused) {
    return fail(caller, kRefused, refused.what());
  } catch (const Failed& failed) {
    return fail(caller, kTryAgain, failed.what());
  } catch (const std::bad_alloc&) {
    return fail(caller, kTryAgain, "out of memory");
  } catch (const std::exception& failure) {
    return fail(caller, kTryAgain, failure.what());
  }
}
