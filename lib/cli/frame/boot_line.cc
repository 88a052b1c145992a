#include "cli/frame/boot_line.h"

#include "base/shell_words.h"
#include "process/start/find_program.h"

namespace fq::cli {

std::string crontab_line(const std::string& store) {
  std::string line = "@reboot";
  for (const std::string& word : {process::find_program("fq-tick"), std::string{"--store"}, store}) {
    line += ' ';
    for (const char c : shell_quote(word)) line += c == '%' ? std::string{"\\%"} : std::string{c};
  }
  return line;
}

}  // namespace fq::cli
