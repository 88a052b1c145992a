// Where a command takes the texts that its operands name.

#pragma once

#include <functional>
#include <string>

namespace fq::cli {

/// Both give all bytes, and throw Error.
struct TextSource {
  std::function<std::string(const std::string& path)> read_file;
  std::function<std::string()> read_stdin;

  /// The files and the standard input of this process.
  [[nodiscard]] static TextSource of_process();
};

}  // namespace fq::cli
