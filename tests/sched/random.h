// Random numbers for property tests.

#pragma once

#include <rapidcheck.h>

namespace fq::sched::test {

/// A number low..high-1, spread evenly: rc::gen::inRange alone keeps to small ones in the first runs, where
/// little ever fails to fit.
template <class T>
T between(T low, T high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high));
}

}  // namespace fq::sched::test
