#include "cli/frame/input.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

namespace fq::cli {

std::string read_input(const std::string& path, std::size_t most) {
  if (path == "-") return read_all(STDIN_FILENO, "standard input", most);
  return read_all(open_file(path, O_RDONLY).get(), path, most);
}

}  // namespace fq::cli
