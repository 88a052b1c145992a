// A list of words for job ids (RFC 19) of the tests' own: the digit i in base 26, `aaa` and on.

#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "support/temp_directory.h"

namespace fq::test {

/// Has this process find it. It is read once in a process.
inline void install_word_list() {
  static const TempDirectory directory;
  const std::string path = directory.path() + "/words";
  std::ofstream out{path};
  constexpr int kWords = 1633, kLetters = 26;
  for (int i = 0; i < kWords; ++i) {
    const auto letter = [](int digit) { return static_cast<char>('a' + digit); };
    out << letter(i / kLetters / kLetters) << letter(i / kLetters % kLetters) << letter(i % kLetters) << '\n';
  }
  ::setenv("FQ_WORDS", path.c_str(), 1);
}

}  // namespace fq::test
