// What is wrong with something signed, in one line for who asked.

#pragma once

#include <stdexcept>

namespace fq::signature {

class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// It is signed by a key that is not known, or no longer.
class UnknownKey : public Refused {
 public:
  UnknownKey() : Refused("J is signed by a key that is not known here") {}
};

}  // namespace fq::signature
