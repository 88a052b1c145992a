// A directory of its own for a test, gone with it.

#pragma once

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/file.h"

namespace fq::test {

class TempDirectory {
 public:
  TempDirectory() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string{base != nullptr ? base : "/tmp"} + "/fq-test-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw system_error("mkdtemp", errno);
  }
  ~TempDirectory() { remove_tree(path_); }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace fq::test
