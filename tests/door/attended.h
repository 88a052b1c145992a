// What tests of doors connect to.

#pragma once

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "base/unique_fd.h"
#include "door/attend.h"
#include "support/scenario.h"

namespace fq::test {

/// One end of a connection whose other end a thread attends to.
class Attended {
 public:
  explicit Attended(const Scenario& s) : session_(s.session) {}
  ~Attended() {
    for (std::thread& thread : threads_) thread.join();
  }
  Attended(const Attended&) = delete;
  Attended& operator=(const Attended&) = delete;

  UniqueFd connect() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    threads_.emplace_back([this, end = ends[1]] {
      try {
        door::attend(session_, UniqueFd{end});
      } catch (const Error& failure) {
        said_ = failure.what();
      }
    });
    return UniqueFd{ends[0]};
  }
  /// What the last that ended was ended with.
  [[nodiscard]] std::string said() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return said_;
  }

 private:
  manager::Session session_;
  std::vector<std::thread> threads_;
  std::string said_;
};

}  // namespace fq::test
