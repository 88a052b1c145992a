// fq-gate: root's file, setuid. The door of the store that all users of a machine share. It reaches the
// engine, or starts one, as the user whom the store belongs to, tells it who calls, gives every right up, and
// passes bytes on.

#include <exception>
#include <string>

#include <unistd.h>

#include "gate/copy.h"
#include "gate/engine.h"
#include "imp/caller.h"
#include "imp/fd.h"
#include "signature/refused.h"

namespace {

using fq::imp::Caller;

constexpr int kRefused = 1;
constexpr int kTryAgain = 75;  // EX_TEMPFAIL

int fail(const Caller& caller, int code, const std::string& message) {
  fq::imp::tell_caller(caller, "fq-gate: " + message);
  return code;
}

}  // namespace

int main(int argc, char**) {
  Caller caller{::getuid(), ::getgid()};
  try {
    caller = fq::imp::shed_caller();
    if (argc > 1) return fail(caller, kRefused, "it takes no arguments: commands of fq call it themselves");
    const fq::imp::Fd engine = fq::gate::reach_engine(caller);
    fq::imp::become_caller(caller);
    fq::gate::copy_until_over(engine.get());
    return 0;
  } catch (const fq::signature::Refused& refused) {
    return fail(caller, kRefused, refused.what());
  } catch (const std::exception& failure) {
    return fail(caller, kTryAgain, failure.what());
  }
}
