// What is wrong with something signed, in one line for who asked.

#pragma once

#include <stdexcept>

namespace fq::signature {

class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace fq::signature
